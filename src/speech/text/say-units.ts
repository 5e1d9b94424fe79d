import { decimal } from './number-words.ts';
import { writtenNumber } from './say-numbers.ts';

const units: Record<string, [string, string]> = {
  km: ['kilometer', 'kilometers'],
  cm: ['centimeter', 'centimeters'],
  mm: ['millimeter', 'millimeters'],
  m: ['meter', 'meters'],
  mi: ['mile', 'miles'],
  ft: ['foot', 'feet'],
  yd: ['yard', 'yards'],
  yds: ['yard', 'yards'],
  kg: ['kilogram', 'kilograms'],
  kgs: ['kilogram', 'kilograms'],
  g: ['gram', 'grams'],
  mg: ['milligram', 'milligrams'],
  lb: ['pound', 'pounds'],
  lbs: ['pound', 'pounds'],
  oz: ['ounce', 'ounces'],
  'fl oz': ['fluid ounce', 'fluid ounces'],
  'km/h': ['kilometer per hour', 'kilometers per hour'],
  kmh: ['kilometer per hour', 'kilometers per hour'],
  kph: ['kilometer per hour', 'kilometers per hour'],
  mph: ['mile per hour', 'miles per hour'],
  'm/s': ['meter per second', 'meters per second'],
  mpg: ['mile per gallon', 'miles per gallon'],
  kB: ['kilobyte', 'kilobytes'],
  KB: ['kilobyte', 'kilobytes'],
  MB: ['megabyte', 'megabytes'],
  GB: ['gigabyte', 'gigabytes'],
  TB: ['terabyte', 'terabytes'],
  kbps: ['kilobit per second', 'kilobits per second'],
  Mbps: ['megabit per second', 'megabits per second'],
  Gbps: ['gigabit per second', 'gigabits per second'],
  kW: ['kilowatt', 'kilowatts'],
  kWh: ['kilowatt hour', 'kilowatt hours'],
  W: ['watt', 'watts'],
  V: ['volt', 'volts'],
  Hz: ['hertz', 'hertz'],
  kHz: ['kilohertz', 'kilohertz'],
  MHz: ['megahertz', 'megahertz'],
  GHz: ['gigahertz', 'gigahertz'],
  ms: ['millisecond', 'milliseconds'],
  sec: ['second', 'seconds'],
  secs: ['second', 'seconds'],
  min: ['minute', 'minutes'],
  mins: ['minute', 'minutes'],
  hr: ['hour', 'hours'],
  hrs: ['hour', 'hours'],
  h: ['hour', 'hours'],
  wk: ['week', 'weeks'],
  wks: ['week', 'weeks'],
  yr: ['year', 'years'],
  yrs: ['year', 'years'],
  mos: ['month', 'months'],
  L: ['liter', 'liters'],
  l: ['liter', 'liters'],
  ml: ['milliliter', 'milliliters'],
  mL: ['milliliter', 'milliliters'],
  gal: ['gallon', 'gallons'],
  qt: ['quart', 'quarts'],
  tsp: ['teaspoon', 'teaspoons'],
  tbsp: ['tablespoon', 'tablespoons'],
  kcal: ['kilocalorie', 'kilocalories'],
  px: ['pixel', 'pixels'],
  dB: ['decibel', 'decibels'],
  psi: ['pound per square inch', 'pounds per square inch'],
  rpm: ['revolution per minute', 'revolutions per minute'],
  '°F': ['degree Fahrenheit', 'degrees Fahrenheit'],
  '°C': ['degree Celsius', 'degrees Celsius'],
  '°': ['degree', 'degrees'],
  '%': ['percent', 'percent'],
};
const areas: Record<string, [string, string]> = {
  in: ['inch', 'inches'],
  ft: ['foot', 'feet'],
  yd: ['yard', 'yards'],
  mi: ['mile', 'miles'],
  mm: ['millimeter', 'millimeters'],
  cm: ['centimeter', 'centimeters'],
  m: ['meter', 'meters'],
  km: ['kilometer', 'kilometers'],
};
const multiples: Record<string, string> = { k: 'thousand', K: 'thousand', M: 'million', bn: 'billion' };
// Abbreviations of a unit that may carry a full stop of their own: "5 ft. long", but "I ran 5 km. Then".
const dotted = /^(?:ft|yd|yds|lb|lbs|oz|fl oz|sec|secs|min|mins|hr|hrs|wk|wks|yr|yrs|mos|gal|qt|tsp|tbsp|mi)$/;
const alternatives = Object.keys(units)
  .filter((unit) => !/[°%]/.test(unit))
  .sort((a, b) => b.length - a.length)
  .join('|');

/** "5 kg" → "five kilograms", "6'2\"" → "six foot two", "10k" → "ten thousand", "3x4" → "three by four". */
export function sayUnits(text: string): string {
  return text
    .replace(
      /(?<![\d.,])(\d{1,2})' ?(\d{1,2})(?:"|'')/g,
      (_, feet: string, inches: string) => `${decimal(feet)} foot ${decimal(inches)}`,
    )
    .replace(
      /(?<![\d.,"])(\d{1,3}(?:\.\d{1,3})?)(?:"(?= (?:x|by|tall|wide|long|high|deep|screen|TV)\b)|-?in\b\.?(?![-\w]| [a-z])| in\.(?= (?:x|by|tall|wide|long|high|deep)\b))/g,
      (_, inches: string) => `${decimal(inches)} ${inches === '1' ? 'inch' : 'inches'}`,
    )
    .replace(
      new RegExp(String.raw`(?<![\d.,])(${writtenNumber}) ?(sq|cu)\.? ?(in|ft|yd|mi|mm|cm|m|km)\b\.?`, 'g'),
      (whole, amount: string, kind: string, unit: string) => {
        const names = areas[unit];
        if (!names) return whole;
        return `${decimal(amount)} ${kind === 'sq' ? 'square' : 'cubic'} ${amount === '1' ? names[0] : names[1]}`;
      },
    )
    .replace(
      new RegExp(
        String.raw`(?<![\d.,])(${writtenNumber})(?: ?(°[FC]?(?![a-z])|%)| ?(${alternatives})(?![A-Za-z\d/]|-[A-Za-z\d]|'\w)(\.(?= [a-z\d]|,))?)`,
        'g',
      ),
      (_, amount: string, sign: string | undefined, letters: string | undefined, dot: string | undefined) => {
        const unit = sign ?? letters ?? '';
        const names = units[unit] ?? ['', ''];
        return `${decimal(amount)} ${amount === '1' ? names[0] : names[1]}${dot && !dotted.test(unit) ? dot : ''}`;
      },
    )
    .replace(
      new RegExp(String.raw`(?<![\d.,\w])(${writtenNumber})(k|K|M|bn)(?![A-Za-z\d])`, 'g'),
      (_, amount: string, letter: string) => `${decimal(amount)} ${multiples[letter] ?? ''}`,
    )
    .replace(/(?<=\d) ?[x×] ?(?=\d)/g, ' by ')
    .replace(/(?<![\d.,])(\d{1,4})x(?![A-Za-z\d])/g, (_, amount: string) => `${decimal(amount)} times`)
    .replace(
      /\b(kilometers?|miles?|meters?|hours?|minutes?|pounds?|kilograms?|gigabytes?|percent)\/(?=[A-Za-z])/g,
      '$1 per ',
    );
}
