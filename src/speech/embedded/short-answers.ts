const ones = 'one two three four five six seven eight nine'.split(' ');
const teens = 'ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(' ');
const tens = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ');
const numbers = ['zero', ...ones, ...teens, ...tens.flatMap((ten) => [ten, ...ones.map((one) => `${ten}-${one}`)])];

const times = [
  'Sunday, Monday, Tuesday, Wednesday, Thursday, Friday, Saturday',
  'January, February, March, April, May, June, July, August, September, October, November, December',
  'today, tomorrow, yesterday, tonight, next week, next month, this week, this month, next year, last week, last year',
  'morning, afternoon, evening, in the morning, in the afternoon, in the evening, noon, midnight, now, later, soon',
  'anytime, weekly, monthly, daily, every day, half past three, three thirty',
].flatMap((line) => line.split(', '));

const answers = [
  'yes|yeah|yep|yup|yes, please|yes, I do|yes, I am|I do|I am|sure|of course|absolutely|definitely|certainly|exactly',
  "correct|right|that's right|that's correct|okay|all right|fine|good|great|perfect|sounds good|I think so|uh-huh|mm-hmm",
  "no|nope|nah|no, thanks|no, thank you|no way|not really|not yet|not now|not at all|never|I don't|I'm not|I don't think so",
  "I don't know|I'm not sure|maybe|perhaps|probably|it depends|neither|both|either|none|nothing|nobody|always|sometimes",
  'once|twice|a few|a lot|many|half|the first|the second|the third|first|second|third|the same|hundred|one hundred',
  'male|female|single|married|divorced|email|phone|text|cash|credit card|house|apartment',
].flatMap((line) => line.split('|'));

const remarks = [
  "hello|hi|hey|good morning|good afternoon|goodbye|bye|bye-bye|thanks|thank you|please|sorry|I'm sorry|excuse me|pardon",
  "speaking|this is he|this is she|who is this|who's this|who is calling|who's calling|what|what is this about|why|when",
  "wrong number|you have the wrong number|stop|stop calling me|don't call me again|not interested|I'm not interested",
  "remove me|call me later|call back later|call me tomorrow|I'm busy|I'm driving|I can't talk|go ahead|wait|hold on",
  'one moment|one moment, please|just a moment|just a second|repeat that|say that again|can you repeat that|are you a robot',
].flatMap((line) => line.split('|'));

/**
 * What people say when they say little. A word alone gives the model no context, and it was brought up on
 * read books: "Four." becomes "For," and "Monday." "Mundy,". For short utterances these are therefore
 * weighed against what it wrote by itself.
 */
export const shortAnswers: string[] = [...numbers, ...times, ...answers, ...remarks].map(
  (phrase) => phrase.charAt(0).toUpperCase() + phrase.slice(1),
);
