const listed = (text: string) => text.split('|');
/** Every one of the first with every one of the second. */
const each = (before: string[], after: string[]) => before.flatMap((one) => after.map((other) => `${one} ${other}`));

const ones = listed('one|two|three|four|five|six|seven|eight|nine');
const teens = listed('ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen');
const tens = listed('twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety');
const hundreds = [...each(['a', ...ones], ['hundred', 'thousand']), 'ten thousand', 'a dozen', 'a million'];
const numbers = ['zero', ...ones, ...teens, ...tens, ...tens.flatMap((ten) => ones.map((one) => `${ten}-${one}`))];
const hours = [...ones, 'ten', 'eleven', 'twelve'];
const roundNumbers = [...ones, 'ten', 'twelve', 'fifteen', ...tens, ...hundreds];
const amounts = [
  ...numbers,
  ...hundreds,
  ...each(listed('about|around|almost|at least|maybe|more than'), roundNumbers),
  ...each(listed('only|just|just the'), [...ones, 'ten']),
  ...each(['two', 'three', 'four', 'five', 'six', 'ten'], listed('days|weeks|months|years|hours|minutes|people|times')),
  ...each(listed('one|a'), listed('day|week|month|year|person')),
  ...listed('an hour|half an hour|once|twice|a few|a lot|a little|many|half|all|some|none|hundred|the two of us'),
];

const weekdays = listed('Sunday|Monday|Tuesday|Wednesday|Thursday|Friday|Saturday');
const months = listed('January|February|March|April|May|June|July|August|September|October|November|December');
const partsOfDay = listed('morning|afternoon|evening');
const spans = listed('day|week|month|year');
const times = [
  ...weekdays,
  ...months,
  ...each(listed('on|next|this|last|until|every'), weekdays),
  ...each(weekdays, partsOfDay),
  ...each(['in', 'last', 'next', 'since'], months),
  ...each(listed('next|this|last|every'), spans.slice(1)),
  ...each(each(listed('once|twice|three times'), ['a']), spans),
  ...each(listed('in the|this|tomorrow|every'), partsOfDay),
  ...partsOfDay,
  ...each(hours, listed("o'clock|fifteen|thirty|forty-five|in the morning|in the afternoon|in the evening")),
  ...each(listed('at|after|before|half past|quarter past|quarter to|around'), hours),
  ...listed(
    'today|tomorrow|yesterday|tonight|every day|daily|weekly|monthly|noon|at noon|midnight|at night|now|right now',
  ),
  ...listed('later|soon|anytime|any time|after work|after lunch|before noon|on the weekend|the day after tomorrow'),
];

const opinions = each(
  ['very', 'quite', 'pretty', 'really', 'so', 'not', 'not very', 'not so'],
  listed('happy|unhappy|satisfied|good|bad|well|often|sure|likely|unlikely|interested|important|much|long'),
);

const answers = [
  'yes|yeah|yep|yup|yes, please|yes, sure|yes, of course|yes, I do|yes, I am|yes, I did|yes, I have|yes, it is|yes, we do',
  'yeah, sure|I do|I am|I did|I have|we do|sure|sure thing|of course|absolutely|definitely|certainly|exactly|gladly',
  "correct|right|that's right|that's correct|okay|all right|fine|good|great|perfect|sounds good|uh-huh|mm-hmm|of course not",
  'excellent|terrible|it was good|it was fine|it was great|it was bad|I think so|I guess so|I hope so|I suppose so|I believe so',
  "no|nope|nah|no, thanks|no, thank you|no way|not really|not yet|not now|not today|not at all|never|I don't|I'm not|I didn't",
  "no, I don't|no, I'm not|no, I didn't|no, I haven't|no, not yet|no, never|no, not really|I don't think so|probably not|maybe not",
  "I don't know|I'm not sure|I don't remember|I forgot|no idea|I have no idea|I can't say|hard to say|maybe|perhaps|probably",
  'maybe later|maybe tomorrow|maybe next week|it depends|neither|both|either|nothing|nobody|always|often|rarely|sometimes|usually',
  'the first|the second|the third|first|second|third|the first one|the second one|the last one|the same|that one|this one',
  'male|female|single|married|divorced|cash|credit card|house|a house|apartment|an apartment',
  'email|phone|text|by email|by phone|by mail|by text|by email, please|by phone, please|by mail, please',
  'my wife|my husband|my son|my daughter|my mother|my father|my brother|my sister|my parents|my neighbor|my boss|myself|just me',
].flatMap(listed);

const remarks = [
  "hello|hi|hey|good morning|good afternoon|good evening|goodbye|bye|bye-bye|thanks|thank you|please|sorry|I'm sorry|excuse me",
  "pardon|speaking|this is he|this is she|who is this|who's this|who is calling|who's calling|who are you|what|what is this about",
  "what's this about|what is it|what did you say|what do you want|why|when|where|how much|how long",
  "wrong number|you have the wrong number|stop|stop calling me|stop calling|don't call me again|don't call me|not interested",
  "I'm not interested|I am not interested|remove me|take me off your list|call me later|call back later|call me tomorrow",
  "I'm busy|I'm driving|I'm at work|I can't talk|I have no time|go ahead|go on|please continue|please go on|wait|hold on",
  'hang on|one moment|one moment, please|just a moment|just a second|one second|repeat that|repeat that, please|say that again',
  'say that again, please|can you repeat that|could you repeat that|can you say that again|come again|slower, please',
  'are you a robot|are you a machine|are you human|is this a recording|are you still there|I can hear you|hello, who is this',
].flatMap(listed);

/**
 * What people say when they say little. A word alone gives the model no context, and it was brought up on
 * read books: "Four." becomes "For," and "Monday." "Mundy,". For short utterances these are therefore
 * weighed against what it wrote by itself.
 */
export const shortAnswers: string[] = [...new Set([...amounts, ...times, ...opinions, ...answers, ...remarks])].map(
  (phrase) => phrase.charAt(0).toUpperCase() + phrase.slice(1),
);
