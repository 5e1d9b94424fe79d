import { isPronounceable, lettersApart } from './pronounceable.ts';

const spelled = new Set(
  'ASAP FAQ CEO CFO CTO COO CIO CMO USA US UK EU UN UAE AI API AC DC ID IT TV PC HR PR VIP DIY FYI ETA RSVP BBQ DJ MC GP ER ICU IV IQ IP URL USB HTML CSS SQL PDF DVD CD LED LCD HD ATM IRS FBI CIA NBA NFL AOL SUV GPS EV AAA APR IRA LLC LLP PO AM PM AD BC BCE CE HVAC HOA UPS USPS DHL IBM BMW EIN SSN DOB MRI ECG EKG HIV ADHD UTI OTC IOU AKA TBA TBD EOD ESL ISP UI UX OS IOS UFO AMA AARP AIG IDE AOK'.split(
    ' ',
  ),
);
const acronyms = new Set(
  'NASA NATO UNICEF UNESCO OPEC FIFA UEFA PIN SIM VAT RAM ROM AIDS COVID LASER RADAR SCUBA SWAT ZIP GIF CAPTCHA IKEA LEGO NASDAQ HIPAA COBRA FEMA OSHA NAFTA ASCII YOLO FOMO VIN MOT SARS BAFTA HUD'.split(
    ' ',
  ),
);
// Words of two or three letters that people do put in capitals; any other so short is taken for initials.
const shortWords = new Set(
  'AN AS AT BE BY DO GO HE HI IF IN IS ME MY NO OF OH ON OR SO TO UP US WE IT AM ALL AND ANY ARE ASK BAD BAG BED BIG BIT BOX BOY BUS BUT BUY CAN CAR CAT CUP CUT DAD DAY DID DOG DUE EAT END EYE FAR FEE FEW FIT FIX FLY FOR FUN GAS GET GOT GUY HAD HAS HER HEY HIM HIS HIT HOT HOW ITS JOB JOY KEY KID LAW LAY LET LIE LOT LOW MAN MAY MEN MOM NEW NOR NOT NOW ODD OFF OIL OLD ONE OUR OUT OWN PAY PET PUT RAN RED RUN SAD SAT SAW SAY SEA SEE SET SHE SIR SIT SIX SKY SON SUN TAX TEA TEN THE TOO TOP TRY TWO USE VAN VIA WAR WAS WAY WHO WHY WIN WON YES YET YOU TIP HUG BAR EGG ICE AIR ART AGE AGO ADD ACT ARM BAY BET BIN CAP COW CRY DRY EAR FAN FAT FOX GUM GUN GYM HAT JAM JAR JET LEG LIP MAP MIX MUD NET NUT OAK PAN PEN PIE PIG RAT ROW SHY SPA TAG TAP TIE TOE TOY WEB WET ZOO'.split(
    ' ',
  ),
);
// Both a common word and common initials: a word only where its neighbours shout as well.
const either = new Set(['US', 'IT', 'AM', 'WHO', 'OR', 'ME', 'IN', 'HE', 'AS', 'IS', 'ACT', 'ART', 'GAS', 'MAY']);
const initialsOfEither = new Set(['US', 'IT', 'AM', 'WHO']);

/** A word in capitals: lower-cased if it is a word, letter by letter if it is an initialism. */
export function sayCapitals(word: string, shouted: boolean): string {
  if (acronyms.has(word)) return word.toLowerCase();
  if (word === 'OK') return 'okay';
  if (either.has(word) && shouted) return word.toLowerCase();
  if (initialsOfEither.has(word)) return lettersApart(word);
  if (spelled.has(word)) return lettersApart(word);
  if (word.length <= 3) return shortWords.has(word) ? word.toLowerCase() : lettersApart(word);
  return isPronounceable(word) ? word.toLowerCase() : lettersApart(word);
}

const names: Record<string, string> = { PhD: 'P H D', 'Ph.D.': 'P H D', 'Ph.D': 'P H D', MSc: 'M S C', BSc: 'B S C' };
/** Words that open a sentence rather than carry on a name: "Vitamin C. Then …" against "J. Smith". */
export const sentenceStarters =
  /^(?:The|Then|It|I|We|You|He|She|They|This|That|These|And|But|So|If|When|Please|Thank|Thanks|Yes|No|Our|My|Your|There|Here|In|On|At|For|What|How|Who|Why|Where|Is|Are|Do|Does|Did|Can|Could|Would|Will|Let|Now|Also|Of|Or|As|To|By|A|An|His|Her|Its|Their|Call|Press)\b/;

/** "U.S.A." → "U S A", "J. R. Smith" → "J R Smith", "IBM" → "I B M", "HELLO" → "hello". */
export function sayInitialisms(text: string): string {
  return text
    .replace(/(?<![A-Za-z.])(?:Ph\.D\.?|PhD|MSc|BSc)(?![A-Za-z])/g, (name) => names[name] ?? name)
    .replace(/(?<![A-Za-z.'])(?:[A-Za-z]\.){2,12}(?![A-Za-z])/g, (initials, at: number, all: string) => {
      const end = at + initials.length;
      const last = all.length === end || /^["')]?$|^ [A-Z]/.test(all.slice(end, end + 2));
      const name = /^ [A-Z][a-z]/.test(all.slice(end, end + 3)) && !sentenceStarters.test(all.slice(end + 1, end + 12));
      return `${lettersApart(initials.replaceAll('.', ''))}${last && !name ? '.' : ''}`;
    })
    .replace(/(?<![A-Za-z.'])(?:[A-Za-z]\.){1,12}[A-Za-z](?![A-Za-z.'])/g, (initials) =>
      lettersApart(initials.replaceAll('.', '')),
    )
    .replace(
      /(?<=^|[.!?,:"] |[A-Z][a-z]{1,20} )((?:[A-HJ-Z]\. ){1,4})(?=[A-Z][a-z])/g,
      (initials, _, at: number, all: string) =>
        sentenceStarters.test(all.slice(at + initials.length, at + initials.length + 12))
          ? initials
          : initials.replaceAll('.', ''),
    )
    .replace(
      /(?<![A-Za-z])([A-Z]{2,40})('?s)?(?![A-Za-z])/g,
      (_, word: string, ending: string | undefined, at: number, all: string) => {
        const end = at + _.length;
        const said = sayCapitals(word, isShouted(all.slice(Math.max(0, at - 20), at), all.slice(end, end + 20)));
        return said + (ending ? (said.includes(' ') ? "'s" : ending) : '');
      },
    )
    .replace(
      /(?<![A-Za-z])(I|[A-Z]{2,20})'(M|LL|VE|RE|D|S|T)(?![A-Za-z])/g,
      (_, word: string, rest: string) => `${word === 'I' ? word : word.toLowerCase()}'${rest.toLowerCase()}`,
    )
    .replace(/[A-Z]{41,}/g, (word) => word.toLowerCase());
}

function isShouted(before: string, after: string): boolean {
  const neighbours = [/([A-Z]{2,20})[,;:]? $/.exec(before)?.[1], /^[,;:]? ([A-Z]{2,20})\b/.exec(after)?.[1]];
  return neighbours.some(
    (word) =>
      word !== undefined && !spelled.has(word) && (shortWords.has(word) || (word.length > 3 && isPronounceable(word))),
  );
}
