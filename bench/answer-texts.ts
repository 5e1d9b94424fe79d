/**
 * What is said in the greetings of `answer-set.ts`. `{name}`, `{business}` and `{number}` are filled in,
 * `{600}` is a pause in ms. The two halves share no sentence, name or business, but for what is the same
 * everywhere: a bare "Hello" and the prompts that the makers of phones have fixed.
 */
export interface GreetingTexts {
  names: string[];
  businesses: string[];
  people: { shortHello: string[]; longHello: string[]; name: string[]; business: string[]; impatient: string[] };
  voicemail: { personal: string[]; short: string[]; carrier: string[]; long: string[]; office: string[] };
  screener: { apple: string[]; google: string[]; carrier: string[] };
  menu: string[];
  intercept: string[];
  /** Of people in the background. */
  babble: string[];
}

export const tuningTexts: GreetingTexts = {
  names: ['Dave', 'Maria', 'Kevin', 'Susan Clark', 'Tom', 'Rachel Evans', 'Peter', 'Linda', 'Bob Turner', 'Alice'],
  businesses: [
    "Miller's Plumbing",
    'Oak Street Dental',
    'Sunrise Bakery',
    'Johnson and Sons Roofing',
    'the Grand Hotel',
    'Valley Auto Repair',
    'City Flowers',
    'Hillside Veterinary Clinic',
  ],
  people: {
    shortHello: ['Hello?', 'Hello?', 'Yes?', 'Hi.', 'Yeah?', 'Hey.', 'Hello, yes?', 'Good morning.'],
    longHello: [
      'Hello, who is calling please?',
      'Hi, yes, I am here, go ahead.',
      "Hello, sorry, I was just outside. Who's this?",
      'Yeah, hi, what can I do for you?',
      'Hello, one second please, let me close the door.',
      'Good evening, who am I speaking to?',
      "Hi, I can't really hear you, can you speak up?",
      'Hello, you are on speaker, go ahead.',
    ],
    name: [
      'This is {name}.',
      '{name} speaking.',
      'Hello, this is {name}.',
      'Hi, {name} here.',
      '{name}.',
      'Hello, {name} speaking, how can I help?',
    ],
    business: [
      'Good morning, {business}, how can I help you?',
      '{business}, this is {name}.',
      'Thank you for calling {business}, this is {name}, how may I help you today?',
      '{business}, good afternoon.',
      'Hello, {business}, {name} speaking.',
      'Thanks for calling {business}, what can I do for you?',
      '{business}, can you hold please?',
    ],
    impatient: [
      'Hello? {1300} Hello, anybody there?',
      'Yes? {1500} Hello?',
      'Yeah, put it over there. {500} Hello?',
      'Hello? {1200} Who is this?',
    ],
  },
  voicemail: {
    personal: [
      "Hi, this is {name}. I can't come to the phone right now. Please leave your name and number and I'll call you back.",
      "Hey, you've reached {name}. Leave me a message and I'll get back to you. Thanks.",
      'Hello, this is {name}. I am not available at the moment. Please leave a message after the beep.',
      "Hi, it's {name}. {350} I missed your call. Leave a message and have a great day.",
      "Hi, you have reached the voicemail of {name}. I'm either on the other line or away from my desk. Please leave a message.",
      "Hello, {name} here. I'm sorry I couldn't take your call. Please leave your number after the tone.",
      'Hello. {400} You have reached {name}. Leave a message after the beep.',
      "You've reached {number}. Nobody is home right now. Please leave a message.",
    ],
    short: [
      'Leave a message.',
      '{name}. Leave a message.',
      'Hey, leave me a message.',
      "It's {name}. You know what to do.",
      'Please leave a message after the tone.',
    ],
    carrier: [
      'Your call has been forwarded to an automated voice messaging system. {number} is not available. At the tone, please record your message. When you have finished recording, you may hang up, or press one for more options.',
      'The person you are trying to reach is not available. Please leave a message after the tone.',
      'We are sorry. {name} is not available. Record your message at the tone.',
      'The mailbox is full and cannot accept any messages at this time. Good bye.',
      'You have reached the voice mailbox of {number}. Please leave your message after the beep.',
    ],
    long: [
      "Hello and thank you for your call. This is {name} with {business}. I am out of the office this week and will be back on Monday with limited access to my messages. If this is urgent please call our front desk. Otherwise leave your name, your number and a short message and I'll return your call as soon as I can.",
      "Hi there, this is {name}. If you're calling about the apartment, it is still for rent, and you can see it on Saturday between ten and noon. For everything else, please leave your message after the tone and I will call you back the same day.",
    ],
    office: [
      'Thank you for calling {business}. Our office is currently closed. Our hours are Monday to Friday, nine to five. Please leave a message after the tone.',
      'You have reached {business}. We are closed for the holidays. Leave your name and number and we will call you back.',
      'Hello, you have reached {business}. All of us are helping other customers. Please leave us a message.',
    ],
  },
  screener: {
    apple: ["Hi, if you record your name and reason for calling, I'll see if this person is available."],
    google: [
      "Hi, the person you're calling is using a screening service from Google, and will get a copy of this conversation. Go ahead and say your name and why you're calling.",
      "Hello. I'm a virtual assistant from Google and I am recording this call for the person you are trying to reach. What are you calling about?",
    ],
    carrier: [
      'The person you are calling does not accept calls from unknown numbers. Please state your name after the tone.',
      'This number is protected by a call blocker. To be connected, press one now.',
    ],
  },
  menu: [
    'Thank you for calling {business}. For sales, press one. For service, press two.',
    'Welcome to {business}. Please listen carefully as our menu options have changed. For billing, press one.',
    'Hello, and welcome to {business}. If you know the extension of the person you are calling, dial it now.',
    'Thank you for calling {business}. Para espanol, oprima dos. For English, press one.',
    '{business}. This call may be recorded for training purposes. To make an appointment, press one. To speak to a nurse, press two.',
    'Welcome to {business}. In a few words, tell me what you are calling about.',
  ],
  intercept: [
    'The number you have dialed is not in service. Please check the number and dial again.',
    'We are sorry, your call cannot be completed as dialed.',
  ],
  babble: [
    'I told her that we would be there by six but the train was late again.',
    'Two coffees and a slice of the apple cake please, and the bill when you can.',
    'They said the weather should be better on the weekend, so we might go out.',
    'And then he walked in with the dog as if nothing had happened at all.',
    'Can you pass me that box, no the other one, the one under the table.',
  ],
};

export const testTexts: GreetingTexts = {
  names: ['Frank', 'Olivia', 'Gordon Hayes', 'Nina', 'Walter', 'Emma Stone', 'Carlos', 'Ruth', 'Jim Porter', 'Hannah'],
  businesses: [
    'Lakeside Dental',
    'Harbor Pizza',
    'Green Leaf Garden Center',
    'Baker Street Pharmacy',
    'the Riverside Inn',
    'Parker Electric',
    'North End Books',
    'Summit Insurance',
    'Bright Smile Orthodontics',
    'Thompson Moving Company',
  ],
  people: {
    shortHello: [
      'Hello?',
      'Hello.',
      'Hello, hello.',
      'Yes, hello?',
      'Hi there.',
      'Yep?',
      'Speaking.',
      'Morning.',
      'Uh, hello?',
      'Hello there.',
      "Who's this?",
      'Good evening.',
      'Yes, hi.',
      'Hi, hello.',
    ],
    longHello: [
      "Hello, who's speaking please?",
      'Hi, yes, this is she, who is calling?',
      'Hello, sorry for the wait, I had to find my phone.',
      'Yes, good morning, how can I help you?',
      "Hi, hold on a second, I'm just parking the car.",
      'Hello, is that you, mom?',
      'Yeah, hello, I can barely hear you.',
      'Good afternoon, what is this about?',
      "Hello, if you're selling something I'm not interested.",
      'Hey, I was about to call you, what is up?',
      "Hi, I'm in a meeting, can you make it quick?",
      'Yes, who would you like to talk to?',
      "Hello, I don't know this number, who are you?",
    ],
    name: [
      'Hello, {name} speaking.',
      "Yes, it's {name}.",
      'Hi, this is {name}.',
      '{name}, hello.',
      'Yes, {name} here, good morning.',
      "Hello, you're speaking with {name}.",
      'This is {name}, how can I help you?',
      '{name} on the phone.',
      'This is {name} speaking.',
    ],
    business: [
      'Good afternoon, {business}, {name} speaking.',
      '{business}, how can I help?',
      'Thank you for calling {business}, how can I help you?',
      'Hello, {business}, what can we do for you today?',
      "Good morning, you've reached {business}, this is {name}, how can I help?",
      '{business}, {name} speaking, how may I direct your call?',
      'Hi, {business}, one moment please.',
      "Thanks for calling {business}, {name} here, what's your name please?",
      '{business}, would you like to place an order?',
      'Front desk, {business}.',
      'Good evening and welcome to {business}, my name is {name}, how may I help you?',
    ],
    impatient: [
      'Hello? {1400} Hello, is somebody there?',
      'Hello. {1600} I think there is nobody on the line.',
      'Just leave it on the table. {450} Yes, hello?',
      'Hi. {1200} Hello, can you hear me?',
      'Yes? {1300} Who is it?',
    ],
  },
  voicemail: {
    personal: [
      "Hey, it's {name}. I can't get to the phone right now, so leave me a message and I'll call you back when I can.",
      "Hi, you've got {name}. I'm not around at the moment. Leave your details after the beep. Cheers.",
      'Hello, you have reached {name}. I am unable to answer your call right now. Please leave your name and a short message.',
      'Good day, this is the voicemail of {name}. I will return your call as soon as possible.',
      "This is {name}. {400} I'm away from my phone. Drop me a message.",
      "Hi, {name} here. I'm probably driving. {300} Please leave a message after the tone, or send me a text.",
      "Hello. {350} This is {name}. Sorry I missed you. Please leave your number and I'll ring you back.",
      'Hi, we can not come to the phone right now. Please leave a message and one of us will call you back.',
      "You've reached the home of {name}. We are busy or out, so please talk after the beep.",
      "Hi, this is {name}. I'm on vacation until the tenth. If you leave a message, I'll get back to you when I return.",
    ],
    short: [
      '{name} here, leave a message.',
      'Please leave your message.',
      'Hi, leave your name and number.',
      "Hey, I'm busy, leave a message.",
      "You've reached {name}. Leave one.",
      'Message after the beep please.',
    ],
    carrier: [
      'Your call has been forwarded to voicemail. The person you are trying to reach is unavailable. Please record your message at the tone. When you are finished, hang up or press pound for more options.',
      'The wireless customer you have called is not available right now. Please leave your message for {number} after the tone.',
      'Welcome to the messaging service. The subscriber at {number} cannot take your call. Please leave a message after the beep.',
      '{name} {250} cannot answer the phone right now. Leave your message after the tone.',
      'The voice mailbox of the person you called has not been set up yet. Please try your call again later. Good bye.',
      'The mailbox belonging to {name} is full. To send a text notification, press five.',
    ],
    long: [
      "Hello, this is {name}, branch manager at {business}. Today is Thursday and I will be in training all day, so it may take me until tomorrow to answer. If you need something right away, my colleague at the front will be happy to help. If not, please leave a detailed message with your phone number and I'll get back to you.",
      "Hey everybody, it's {name}. I am traveling with the band through the end of the month and the reception out here is terrible. The best way to reach me is by email. You can also leave a message here, but it will be a while before I hear it.",
      "Hi, this is {name}. I am no longer using this number for business. For questions about an order, please write to the support team on our web page. Family and friends can leave a message after the beep, and I'll talk to you soon.",
    ],
    office: [
      'Thank you for calling {business}. We are closed right now. We open again tomorrow at eight. You may leave a message at the tone.',
      "Hi, you've reached {business}. We can't take your call at the moment. Please leave your name, number and the reason for your call, and we will get back to you.",
      'Hello, this is {business}. Our business hours are ten to six, Tuesday through Saturday. Please call again during these hours, or leave a message.',
    ],
  },
  screener: {
    apple: [
      "Hi, if you record your name and reason for calling, I'll see if this person is available.",
      'Hello. Please record your name and the reason you are calling, and I will see if this person can talk.',
    ],
    google: [
      "Hi, the person you're calling is using a screening service from Google, and will get a copy of this conversation. Go ahead and say your name, and why you're calling.",
      "Hi, I'm Call Assist by Google, recording this call for the person you're trying to reach. Before I try to connect you, can I ask what you're calling about?",
      'Hello, the person you called is using Call Screen from Google. Please say who you are and why you are calling.',
    ],
    carrier: [
      'Please say your name after the tone, and we will find out if your party will take the call.',
      'The subscriber you are calling screens unwanted calls. Press five to prove that you are a person.',
      'This call is being screened. State your name and the purpose of your call.',
    ],
  },
  menu: [
    'Thank you for calling {business}. To place an order, press one. For opening hours, press two.',
    'You have reached {business}. If you know your party extension, you may dial it at any time.',
    'Welcome to {business}. Our menu has recently changed, so please listen to all of the options.',
    'Thanks for calling {business}. Your call may be monitored or recorded. For appointments, say appointments or press one.',
    'Hello, thank you for calling {business}. For English, press one. Para continuar en espanol, marque el dos.',
    '{business}. If this is an emergency, hang up and dial nine one one. To refill a prescription, press one.',
    'Welcome to {business}. Please choose from the following options. Press one for customer service. Press two for claims.',
    'Good day. You are calling {business}. Please enter your account number, followed by the pound sign.',
    'Thank you for calling {business}. How can I direct your call? You can say things like billing, or technical support.',
    'All of our agents are busy. Please stay on the line and your call will be answered in the order it was received.',
  ],
  intercept: [
    'The number you have called has been disconnected. No further information is available.',
    'The number you are trying to call is not reachable. Please try again later.',
    'We are sorry, you have reached a number that is no longer in service.',
  ],
  babble: [
    'So we painted the whole kitchen yellow and now she wants it blue again.',
    'Did anybody see my keys, they were right here on the shelf this morning.',
    'The meeting has moved to the third floor because the projector is broken.',
    'He runs five miles before breakfast and still complains that he is tired.',
    'If you take the second left after the bridge you cannot miss the place.',
    'Every seat was taken, so the children sat on the stairs and sang.',
  ],
};
