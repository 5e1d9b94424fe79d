import { shortName, wordsIn } from './words.ts';

/** What a person on the phone may mean besides answering. */
export type Intent =
  | 'opt-out'
  | 'wrong-person'
  | 'bereaved'
  | 'absent'
  | 'who'
  | 'about'
  | 'source'
  | 'robot'
  | 'human'
  | 'repeat'
  | 'meaning'
  | 'slower'
  | 'faster'
  | 'louder'
  | 'callback'
  | 'busy'
  | 'refuse-question'
  | 'refuse-call'
  | 'goodbye'
  | 'small-talk'
  | 'greeting'
  | 'hold'
  | 'back-channel'
  | 'unsure'
  | 'question';

export interface Meaning {
  /** Lower-case words with contractions written out and fillers gone. */
  plain: string;
  intents: ReadonlySet<Intent>;
}

// A minute of talk; what comes after it changes nothing of what is meant.
const longestHeard = 1_500;

const contractions: [RegExp, string][] = [
  [/\b(?:can't|cant|cannot)\b/g, 'can not'],
  [/\b(?:won't|wont)\b/g, 'will not'],
  [/\bain't\b/g, 'is not'],
  [/\b(do|does|did|is|are|was|were|has|have|had|could|would|should)(?:n't|nt)\b/g, '$1 not'],
  [/\b(?:i'm|im)\b/g, 'i am'],
  [/\b(you|we|they)'?re\b(?<!\bwere)/g, '$1 are'],
  [/\b(i|you|we|they)'ve\b/g, '$1 have'],
  [/\b(i|you|he|she|we|they|it|that)'ll\b/g, '$1 will'],
  [/\b(i|you|he|she|we|they)'d\b/g, '$1 would'],
  [/\b(who|what|where|how|when|that|it|he|she|there|here|this)'s\b/g, '$1 is'],
  [/\b(who|what|where|how|that|there)s\b/g, '$1 is'],
  [/\blet's\b/g, 'let us'],
  [/\bwanna\b/g, 'want to'],
  [/\b(?:gotta|got to)\b/g, 'have to'],
  [/\bgonna\b/g, 'going to'],
  [/\bgimme\b/g, 'give me'],
  [/\blemme\b/g, 'let me'],
  [/\bdunno\b/g, 'do not know'],
  [/\bya\b/g, 'you'],
  [/\banymore\b/g, 'any more'],
  [
    /\b(?:uh|um|uhm|er|erm|hmm?|ah|eh|oh|well|like i said|as i said|you know|i mean|please|actually|just|really|sir|madam|ma'am|mister)\b(?!-)/g,
    ' ',
  ],
];

/** What is left when spelling, punctuation and fillers no longer matter. */
export function plainSpeech(text: string): string {
  let plain = text
    .slice(0, longestHeard)
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u2018\u2019\u02bc`]/g, "'")
    .replace(/\b(?:mm+|m+h+m+|mhm|uh|um)[ -]+(?:hm+|huh|hum)\b|\bm+h+m+\b/g, 'mmhm')
    .replace(/\ba\.i\.?(?=\W|$)/g, 'ai')
    .replace(/[^\p{L}\p{N}']+/gu, ' ');
  for (const [from, to] of contractions) plain = plain.replace(from, to);
  return plain.replace(/ +/g, ' ').trim();
}

const machine =
  '(?:robot|robots|bot|machine|computer|ai|recording|recorded|pre recorded|prerecorded|automated|automatic|artificial|robocalls?|robo calls?|chatbot|program|software|siri|alexa|computer voice|recorded message|virtual assistant|voice assistant|digital assistant)';
const human =
  '(?:human|human being|real person|live person|actual person|person|real human|someone real|somebody real|real one|real guy|real woman|real man)';
const staff = `(?:${human}|someone|somebody|someone else|somebody else|(?:your |the |a |an )?(?:representative|agent|live agent|manager|supervisor|operator|colleague|boss|advisor|adviser|salesperson|sales rep|rep|human being|staff member|customer service|support team))`;
const call = '(?:call|phone|ring|contact|dial|bother|disturb|telephone|text)';
const later =
  '(?:later|back|again|tomorrow|tonight|another time|another day|some other time|next|in the (?:morning|afternoon|evening)|this (?:morning|afternoon|evening)|in (?:an?|one|two|three|four|five|ten|fifteen|twenty|thirty|half|\\d+|a few|a couple)|at (?:\\w+)|on (?:mon|tues|wednes|thurs|fri|satur|sun)day|after|around|(?:mon|tues|wednes|thurs|fri|satur|sun)day)';

type Pattern = RegExp | ((plain: string, raw: string) => boolean);

function patternsFor(calleeName: string): [Intent, Pattern[]][] {
  const names = [
    wordsIn(calleeName).join(' '),
    wordsIn(shortName(calleeName)).join(' '),
    wordsIn(calleeName).at(-1) ?? '',
  ]
    .filter((name) => name.length > 1)
    .map((name) => name.replace(/[^\p{L}\p{N} ']/gu, ''));
  const name = names.length > 0 ? `(?:${[...new Set(names)].join('|')})` : '(?:\\u0000)';
  const they = `(?:he|she|they|${name}|my (?:husband|wife|mother|father|mom|dad|son|daughter|boss|partner))`;
  const re = (source: string) => new RegExp(source);
  return [
    [
      'opt-out',
      [
        re(
          `(?<!do not |never )\\b(?:stop|quit|cease) (?:${call}(?:ing|ed|s)?|colou?ring|calling|phoning|ringing|these calls|the calls|your calls|all calls|with the calls|with these calls|contacting|bothering|harassing|spamming)\\b(?! names)`,
        ),
        re(
          `\\b(?:do not|never|not|not to|must not|should not|can not|do n't) (?:you )?(?:ever |dare |want you to |want you |try to )?(?:to )?${call} (?:me |us |here |this number |my number |this phone )?(?:ever )?(?:again|a gain|any ?more|any longer|ever|no more)\\b`,
        ),
        re(
          `\\b(?:do not|never|asked you not to|told you not to|rather you did not|ask you not to|asking you not to) (?:ever )?${call}(?: (?:me|us|here|this number|my number|this phone|back))?$`,
        ),
        re(
          `\\b(?:do not|never) (?:ever )?${call} (?:me|us|here|this number|my number)(?: (?:ok|okay|thank you|thanks|goodbye|bye|take|i|we|and|it))`,
        ),
        re(
          `\\b(?:take|remove|delete|get|scratch|strike|erase|pull|cross|drop) (?:me|us|my (?:phone |cell )?(?:number|name|details|data|contact|info|information)|this (?:phone )?number|our number) (?:off|of|from|out)\\b`,
        ),
        /\b(?:remove|delete|erase|lose) (?:my|this|our) (?:phone |cell )?(?:number|data|details|information|contact)\b/,
        /\b(?:no more calls|enough calls|do not call list|no call list|unsubscribe|opt me out|opt out|want to opt out|off (?:of )?your (?:calling |call |phone |contact )?list|leave me alone|leave us alone|stop harassing)\b/,
        re(
          `\\bnot want (?:any|any more|more|these|your|you to|you|to (?:be|get|receive|have)|another|further|anything)(?: \\w+){0,3} (?:calls?|calling|called|contacted|contact|phone me)\\b(?! me (?:later|tomorrow|back))`,
        ),
        /\bno (?:more|further) (?:phone )?calls\b|\bremoved? (?:me$|from (?:your|the|this) (?:\w+ )?(?:list|database|system|records))|\bdo not call registry\b|\bkeep(?:s)? calling\b.*\b(?:stop|knock it off|enough)\b|\bnot be called\b|\bnot to be called\b/,
      ],
    ],
    [
      'bereaved',
      [
        re(
          `\\b${they} (?:has |have |had |is |was )?(?:died|passed away|passed on|dead|deceased|no longer with us|no longer alive)\\b`,
        ),
      ],
    ],
    [
      'wrong-person',
      [
        /(?<!not (?:have |got |dialed |called )?(?:the |a )?)\bwrong (?:number|person|guy|man|woman|lady|house|party|phone|numbers|fella)\b(?! of)/,
        /\b(?:no ?body|no ?one|no person|nobody here|not anyone|not anybody|there is not an?y?(?:one|body)?) (?:here )?(?:is )?(?:by|of|with|called|named|has) (?:that|this|the) name\b/,
        re(`\\b(?:there is|there are|we have|there be) (?:no|not an?y?|not any) ${name}\\b`),
        re(`\\bno ${name} (?:here|lives|at this|in this)`),
        re(`\\b(?:no ?body|no ?one) (?:here )?(?:is )?(?:called|named) (?:${name}|that|like that)\\b`),
        re(
          `\\b${they} (?:does not|do not|no longer|never|has not) (?:live|lives|work|works|lived|worked|stay|reside) (?:here|at this|in this|with us)`,
        ),
        re(
          `\\b${they} (?:has |have |is |are )?(?:moved (?:away|out)|left the company|not (?:live|work) here|not here any (?:longer|more)|no longer (?:here|at this number))`,
        ),
        re(`\\bnever heard of (?:him|her|them|${name}|that (?:name|person)|anyone|any)`),
        re(
          `\\b(?:i am|this is|you are) not (?:\\w+ )?(?:${name}|speaking (?:to|with) ${name}|talking to ${name}|the (?:person|one) (?:you|that you))\\b`,
        ),
        re(`\\bthis is not ${name}'s\\b|\\bthis is not (?:his|her|their) (?:number|phone)\\b`),
        re(
          `\\bdo not know (?:any|anyone|anybody|a|an|who)?(?: (?:called|named|by the name of|with the name))? ?(?:is )?${name}\\b`,
        ),
        /\b(?:that is not|not) (?:me|my name|who i am)$|\bnot my name\b|\bnobody (?:here )?by that name\b/,
        /\blooking for (?:someone|somebody) else\b|\bnot the person you\b|\bmistaken me for\b|\b(?:mis ?dial(?:ed|led)|dial(?:ed|led) wrong)\b|\bthink you have (?:the )?wrong\b|\byou have (?:got )?the wrong\b/,
        /\bnot (?:his|her) (?:phone|number)(?: any more)?\b/,
      ],
    ],
    [
      'absent',
      [
        re(
          `\\b${they} (?:is|are) (?:not (?:here|in|home|at home|available|around|at (?:his|her|their) desk|free|able to)|out|away|at work|at school|asleep|sleeping|in a meeting|busy|on (?:vacation|holiday|leave|another call|the other line)|gone)\\b`,
        ),
        re(`\\b${they} (?:can not|will not be able to) (?:come to|take|talk|speak|answer)`),
        /\b(?:i am|this is) (?:his|her|their) (?:husband|wife|mother|father|mom|dad|son|daughter|assistant|secretary|roommate|brother|sister|partner|colleague)\b/,
      ],
    ],
    [
      'robot',
      [
        re(
          `\\b(?:are you|you are|is this|is that|is it|this is|it is|am i (?:speaking|talking) (?:to|with)|are we talking to|you sound like|sounds like|you must be|is there) (?:not )?(?:an? |some |one of (?:those|these) |some kind of |some sort of |actually |like |another )?(?:real |live |stupid |damn )?${machine}\\b`,
        ),
        re(
          `\\b(?:are you|is this|am i (?:speaking|talking) (?:to|with)|you are not|are you not|is that) (?:even )?(?:an? |actually )?(?:${human}|real|alive|live|human)\\b`,
        ),
        // However the beginning was understood.
        /^(?:\w+ ){0,3}you (?:are )?(?:a|an) (?:robot|bot|machine|computer|recording|ai)$/,
        /\b(?:robot or (?:a )?(?:human|person|real)|human or (?:a )?(?:robot|machine|computer)|real or (?:a )?(?:robot|recording))\b/,
        re(`\\b(?:talking|speaking) (?:to|with) (?:an? )?${machine}\\b`),
      ],
    ],
    [
      'human',
      [
        re(
          `(?<!am i )(?<!are we )\\b(?:speak|talk|chat|speaking|talking) (?:to|with) (?:an? |some )?(?:${staff})\\b(?! about (?:this|that) already)`,
        ),
        /\b(?:transfer me|connect me|put me through|put me on (?:to|with)|pass me (?:to|on)|hand me over|get me (?:a|an|your|someone|somebody)|give me (?:a|an|your|someone|somebody) (?:human|person|real|manager|agent|representative|operator|supervisor)|patch me)\b/,
        re(
          `^(?:a |an |no )?(?:human|operator|representative|agent|real person|live agent|live person|manager)(?: (?:now|thanks|thank you))?$`,
        ),
        re(
          `\\b(?:is there|can i (?:have|get|speak)|i (?:want|need|prefer|would like|would prefer|would rather have|would rather talk to)) (?:an? |to talk to an? )?(?:${human}|representative|agent|manager|operator|supervisor)\\b`,
        ),
        /\b(?:have|let) (?:someone|somebody|a (?:human|person|colleague)) call me\b/,
      ],
    ],
    [
      'who',
      [
        /(?<!(?:friend|one|person|man|woman|someone|somebody|guy|people|colleague|neighbou?r) )\bwho (?:is|was) (?:this|that|it|calling|speaking|there|on the (?:line|phone)|am i)\b/,
        /(?<!(?:friend|one|person|man|woman|someone|somebody|guy|people|colleague|neighbou?r) )\bwho (?:are you|am i (?:speaking|talking)|do you (?:work|represent|call)|did you say|you are|this is|is calling|calling|the hell|you with)\b/,
        /\bwho (?:are|is) you\b|^who$|^and you are$|^hello who$|^whos this$/,
        /\b(?:what|which) (?:company|firm|organi[sz]ation|business) (?:is this|are you|do you|was that|did you)\b|\b(?:what|which) company$/,
        /\bwhere (?:are|do) you (?:calling|call) from\b|\bcalling from where\b/,
        /\bwhat (?:is|was) your name\b|\byour name (?:again|once more)\b|\b(?:may|can|could) i (?:ask|know|have|get) (?:who|your name)\b|\bwho may i say\b/,
        /\bi do not know (?:you|who you are|who this is)\b|\bdo i know you\b|\bidentify yourself\b/,
      ],
    ],
    [
      'about',
      [
        /\bwhat (?:is|was) (?:this|it|that|the call|your call|this call|this all|all this) (?:all )?(?:about|regarding|concerning|in regards? to|in reference to|in connection with|for|call)\b/,
        /\bwhat (?:is )?(?:this|it) about\b|\bwhat about is\b|^(?:and )?(?:about|regarding|concerning) what$|^what for$|\bwhat is this$/,
        /\bwhat do you (?:want|need)(?! to know| me to)\b|\bwhat you want\b/,
        /\bwhy (?:are|do|did|were) you (?:calling|call|phone|phoning|ringing|contacting)\b|^why$|\bwhy this call\b/,
        /\bwhat are you (?:calling|selling|offering|phoning)\b|\bare you (?:trying to )?sell(?:ing)?\b|\bis this a sales call\b|\bsales call$/,
        /\bhow (?:can|may) i help\b|\bwhat can i do for you\b|\bhow can i be of\b/,
        /\bwhat is (?:the|your) (?:reason|purpose|call about|business|matter|subject|nature)\b|\bthe reason for (?:your|this|the) call\b|\bwhat is up$|\bwhat (?:is|was) the purpose\b/,
        /\b(?:tell me|explain) what (?:this|it) is about\b|\bwhat it is about\b|\bwhat this is about\b|\bin regards? to what\b/,
      ],
    ],
    [
      'source',
      [
        /\b(?:how|where|from where|why) (?:did|do|have) you (?:even )?(?:get|got|find|found|have|know|obtain|come by) (?:my|this|our) (?:phone |cell |mobile |telephone )?(?:number|name|details|information|info|contact|data)\b/,
        /\bwho gave you (?:my|this|our)\b|\bwhere (?:is|does|did) (?:my|this) (?:number|information|data) (?:come )?from\b|\bhow come you have my\b|\bhow did you get (?:hold of )?(?:my|this|me)\b/,
      ],
    ],
    [
      'slower',
      [
        /\b(?:slow down|slower|more slowly|too fast|not so fast|so fast|too quick|too quickly|a bit slow|a little slow|speak slow|talk slow|slowly|speaking fast|talking fast)\b/,
      ],
    ],
    [
      'faster',
      [
        /\b(?:speak|talk|go|bit|little) (?:a bit |a little |much )?(?:faster|quicker)\b|\bspeed (?:it )?up\b|\btoo slow\b|\btoo slowly\b|\bhurry up\b/,
      ],
    ],
    [
      'louder',
      [
        /\b(?:speak up|louder|turn up|volume|can (?:hardly|barely) hear|hardly hear|barely hear|bad (?:line|connection|reception|signal)|breaking up|cutting out|cut out|line is (?:bad|terrible)|too quiet|very quiet|so quiet|can not hear)\b/,
      ],
    ],
    [
      'meaning',
      [
        /\bwhat do you mean\b|\bdo not (?:understand|get) (?:the|your|that|this) question\b|\bwhat does that mean\b|\bdo not follow\b|\bnot sure what you (?:mean|are asking)\b|\bwhat are you asking\b|\bwhat does this mean\b|\bdo not understand what\b|^(?:sorry )?i do not understand(?: (?:that|you|it|sorry))?$/,
      ],
    ],
    [
      'repeat',
      [
        /\b(?:repeat|say (?:that|it|this) (?:again|one more time|once more)|say again|come again|again please|once again|once more|one more time|run that by me|go over that again|pardon)\b/,
        /\bwhat (?:was|is) (?:that|the question|your question|it)(?: again)?$|\bwhat (?:did|do|was) you (?:say|ask|just say|saying)\b|\bwhat were you saying\b/,
        /\b(?:did not|do not|could not|can not|not) (?:quite |really )?(?:catch|hear|get|understand|make out|follow) (?:that|you|it|the question|your question|what you|a word|the last|anything|your last|all of that)\b/,
        /\bi (?:missed|lost) (?:that|you|it|the question|the last part)\b|\b(?:did not|could not) (?:catch|hear|get) (?:that|you)\b/,
        /^(?:sorry|excuse me|what|huh|hm|pardon|what what|sorry what|what sorry|say what|come again|i am sorry|sorry i am|again)(?: (?:what|sorry|again|please))?$/,
      ],
    ],
    [
      'busy',
      [
        /(?<!not )\b(?:i am|we are) (?:(?!not\b)\w+ )?(?:driving|in the car|behind the wheel|on the road|in a meeting|in the middle of|at work|working|at the doctor|at the dentist|at a funeral|at the hospital|in class|at dinner|having (?:dinner|lunch|breakfast)|eating|cooking|on (?:another|the other) (?:call|line)|on the train|on the bus|busy|tied up|occupied|with (?:a )?(?:customer|client|patient)|about to (?:leave|go|board))\b/,
        /\b(?:driving right now|(?:a|very|really) (?:bad|terrible|inconvenient|awkward) (?:time|moment)|bad time|not (?:a|the|such a|really a|the best|a very) (?:\w+ )?(?:good |right |best |great |convenient )?(?:time|moment)|not (?:good|convenient) (?:right )?now|can not (?:talk|speak|chat)(?: (?:right )?now| at the moment| to you now|$)|no time|do not have (?:the |any |much )?time(?: (?:right )?now|$| at the moment| for this now| today)|kind of busy|a bit busy|pretty busy|very busy|busy right now|too busy|busy at the moment|not right now|not now|not at the moment|not today)\b/,
      ],
    ],
    [
      'callback',
      [
        re(
          `(?<!do not |never |did |you |did not |not )\\b(?:call|phone|ring|try|reach|contact|catch|get|telephone) (?:me |us |him |her |them |again |back |${name} )*(?:back |again |up )?(?:${later})\\b`,
        ),
        /(?<!not )\b(?:call|phone|ring) (?:me |us )?back\b|\bcallback\b|\bgive me a (?:call|ring|buzz)\b|\bgive us a call\b|\bcall (?:me )?(?:some )?(?:other|another) time\b|\bcan you call (?:me )?(?:at|on|in|after|tomorrow|later|next)\b/,
        /\b(?:try|call) (?:me |us |again )?(?:later|tomorrow|another (?:time|day)|some other time)\b|^(?:maybe |perhaps )?(?:some other time|another time|later|maybe later|later on|tomorrow maybe)$|\b(?:talk|speak|do this|do it|continue) (?:about (?:this|it) )?(?:later|another time|some other time|tomorrow)\b(?! to you)/,
      ],
    ],
    [
      'refuse-question',
      [
        /\b(?:rather not|prefer not|would not (?:like|want) to (?:say|answer|tell|share)|none of your|no comment|skip (?:that|this|it|the)|next question|not comfortable|too personal|that is (?:\w+ )?(?:private|personal|confidential|secret)|is (?:private|personal|confidential)|private matter)\b/,
        /\b(?:do not|will not|not going to|can not|not want to|not willing to|not allowed to|refuse to|decline to) (?:want to |like to |wish to |have to |need to |be able to )?(?:say|answer|tell you|tell|share|disclose|reveal|give (?:you |out )?(?:that|my|this|any)|discuss (?:that|this)|talk about (?:that|this)|go into)\b(?! for sure)/,
        /^(?:pass|skip|next|i pass|skip it|i refuse|i will pass)$/,
      ],
    ],
    [
      'refuse-call',
      [
        /\b(?:not interested|no interest|not (?:at all )?interested|uninterested|not buying|no soliciting|do not bother|go away|get lost|hang(?:ing)? up|not want to (?:talk|speak|do this|be (?:bothered|disturbed)|participate|buy|continue|take part)|do not (?:want|need) (?:any|anything|it|this|that|your)(?: (?:thing|of (?:it|that|this)|product|products|service|services|stuff|from you))?$|not have time for this|no time for this|wasting my time|waste of (?:my )?time|do not (?:talk|speak) to (?:robots|machines|computers|strangers|telemarketers)|no thank you goodbye|not participating|f off|fuck off|piss off|screw you|shut up|bugger off)\b/,
        /^(?:stop|stop it|stop stop|stop stop stop|no stop|enough|that is enough)$/,
        /\bnot talking to (?:a |an )?(?:robot|machine|computer|bot|recording|ai)\b/,
      ],
    ],
    [
      'goodbye',
      [
        /\b(?:good ?bye|bye bye|bye|cheerio|farewell|see you|talk to you later|talk to you soon|speak to you later|so long|good ?night|hanging up now|ciao)\b/,
        /\b(?:have|need|must|got|going) (?:to )?(?:go|run|leave|hang up|get going|be going|get off|get back to work)(?: (?:now|sorry|soon))?(?:$| (?:bye|thanks|thank you|sorry|now|i|my|there))/,
        /\bhave a (?:nice|good|great|lovely) (?:day|evening|one|afternoon|weekend|night|morning)\b/,
        /^(?:i am off|take care|all the best|that is all from me)$/,
      ],
    ],
    [
      'small-talk',
      [
        /\bhow (?:are you|is it going|are things|do you do|have you been|is your day|is life|you doing|are you doing|is everything|was your (?:day|weekend))\b/,
        /\b(?:nice|lovely|beautiful|terrible|awful|bad|great|horrible|hot|cold|crazy) (?:weather|day today|day outside|outside)\b|\bhow is the weather\b|\b(?:raining|snowing|sunny|so (?:hot|cold)) (?:here|today|outside)\b|\bweather (?:is|has been)\b/,
        /\b(?:nice|good|great|lovely) to (?:meet|hear from|talk to|speak (?:to|with)) you\b|\b(?:merry christmas|happy (?:new year|holidays|easter|birthday|thanksgiving))\b/,
        /\b(?:tell me a joke|did you (?:see|watch) the (?:game|match)|you have a (?:nice|lovely|beautiful) voice|what a (?:nice|lovely) voice|you sound (?:nice|friendly|young|lovely))\b/,
      ],
    ],
    [
      'hold',
      [
        /\b(?:hold on|hang on|hold the line|one (?:moment|second|minute|sec)|(?:just )?a (?:moment|second|minute|sec)(?! ago)|wait a (?:moment|second|minute|sec|bit)|give me (?:a|one) (?:moment|second|minute|sec)|let me (?:check|think|see|look|get|grab|find|ask)|bear with me|wait wait)\b|^wait$/,
      ],
    ],
    [
      'greeting',
      [
        /^(?:(?:hello|hi|hey|hiya|yo|good (?:morning|afternoon|evening|day)|allo|hallo|greetings|yes|yeah|yep|speaking|go ahead|go on|i am listening|listening|i am here|still here|i am still here|who is it|are you (?:still )?there|you there|is (?:anybody|anyone|someone|somebody) (?:still )?there|anybody there|anyone there|can you hear me|there|again|sorry)(?: |$))+$/,
        (plain) =>
          re(
            `^(?:hello |hi |hey |yes |yeah |good \\w+ )*(?:this is|it is|i am|you are (?:speaking|talking) (?:to|with)) ${name}(?: speaking| here)?(?: (?:yes|hello|hi|go ahead|how can i help(?: you)?|what is this about))?$`,
          ).test(plain),
        (plain) =>
          re(
            `^(?:hello |hi |yes |yeah )*(?:${name}|i) (?:speaking|here|am listening)(?: (?:yes|hello|go ahead))?$`,
          ).test(plain),
        /^(?:yes |yeah |hello |hi )*(?:speaking|this is (?:he|she|him|her|me)|that is me|it is me|go ahead|i am listening|i am here|i can hear you)(?: .{0,12})?$/,
      ],
    ],
    [
      'unsure',
      [
        /\b(?:do not (?:really |quite )?know|not (?:so |quite |really |entirely |very |100 )?(?:sure|certain)|no idea|no clue|not a clue|it depends|that depends|depends|hard to say|difficult to say|can not (?:say|remember|recall|tell)|do not (?:remember|recall)|maybe|perhaps|possibly|who knows|could be|might be|not decided|have not decided|need to think|have to think|undecided|tough question|good question|beats me|forgot|forget)\b/,
      ],
    ],
    [
      'back-channel',
      [
        /^(?:(?:mmhm|mm|mhm|okay|ok|k|right|i see|yeah|yep|yup|yes|sure|alright|all right|got it|aha|uh huh|huh|fine|cool|great|good|very good|nice|perfect|wonderful|lovely|understood|true|exactly|interesting|of course|thanks|thank you|very much|no problem|that is (?:right|fine|good|great|okay|ok|true|correct|nice)|sounds good|makes sense|you are welcome|fair enough|and|so|then|wow|really|no)(?: |$))+$/,
        /^$/,
      ],
    ],
    [
      'question',
      [
        (plain, raw) =>
          /^(?:and |but |so |okay |yes |no |sorry |wait |hello |hi )*(?:what|how|when|where|why|who|which|whose|can you|could you|can i|could i|may i|do you|does|did you|is it|is there|are there|are you|will you|will it|would you|tell me|have you|is this|is that|do i|am i|should i)\b/.test(
            plain,
          ) &&
          (/\?/.test(raw) ||
            /^(?:and |but |so )*(?:what|how|why|where|who|tell me|can you|could you|do you)\b/.test(plain)),
        (_, raw) =>
          /(?:^|[.,!?] )(?:and |but |so )?(?:what|how|when|where|why|who|which|can|could|do|does|is|are|will|would)\b[^.!?]*\?\s*$/i.test(
            raw,
          ),
        /\b(?:i (?:would like|want) to know|i was wondering|i am wondering|i have a question|can you tell me|could you tell me)\b/,
      ],
    ],
  ];
}

const recognisers = new Map<string, [Intent, Pattern[]][]>();
const mostNames = 200;

/** All that an utterance may mean, not what it does mean: that depends on what was said before it. */
export function meaningOf(text: string, calleeName: string): Meaning {
  let patterns = recognisers.get(calleeName);
  if (!patterns) {
    if (recognisers.size >= mostNames) recognisers.clear();
    patterns = patternsFor(calleeName);
    recognisers.set(calleeName, patterns);
  }
  const plain = plainSpeech(text);
  const raw = text.slice(0, longestHeard);
  const intents = new Set<Intent>();
  for (const [intent, ways] of patterns) {
    if (ways.some((way) => (typeof way === 'function' ? way(plain, raw) : way.test(plain)))) intents.add(intent);
  }
  return { plain, intents };
}
