import type { Brief } from '../mind.ts';
import { withoutBraces } from './words.ts';

/** Everything that `{{…}}` may stand for. */
export type Placeholders = ReadonlyMap<string, string>;

// Stands where something unknown was taken out, until the spaces around it are repaired. Never in a text: control
// characters are refused in requests.
const gap = '\u0000';

/** A form's own "company" is the company of the person, and meant before the agent's. */
export function placeholdersOf(brief: Pick<Brief, 'agent' | 'calleeName' | 'form'>): Placeholders {
  const { agent, calleeName, form } = brief;
  const [firstName = ''] = calleeName.trim().split(/\s+/);
  const known = new Map<string, string>([
    ['company', agent.company],
    ['agent', agent.name],
    ['agentname', agent.name],
    ['agentcompany', agent.company],
    ['firstname', firstName],
  ]);
  for (const { key, value } of form) if (value.trim() !== '') known.set(keyOf(key), value);
  known.set('name', calleeName);
  return known;
}

/** The text as it is spoken. One without placeholders stays as it is, to the last space. */
export function fillPlaceholders(text: string, known: Placeholders): string {
  if (!/[{}]/.test(text)) return text;
  const filled = text.replace(/\{\{([^{}]*)\}\}/g, (_, key: string) => {
    const value = withoutBraces(known.get(keyOf(key)) ?? '').trim();
    return value === '' ? gap : value;
  });
  return withoutBraces(repaired(filled));
}

function repaired(text: string): string {
  if (!text.includes(gap)) return text;
  return text
    .replace(new RegExp(`[("'\\[]${gap}[)"'\\]]`, 'g'), gap)
    .replace(new RegExp(`(?:^|(?<=[.!?]\\s))${gap}[\\s,;:]*`, 'g'), '')
    .replace(new RegExp(`[\\s,]*${gap}(?=\\s*[,.;:!?])`, 'g'), '')
    .replace(new RegExp(`\\s*${gap}\\s*`, 'g'), ' ')
    .replace(/\s+(?=[,.;:!?](?:\s|$))/g, '')
    .replace(/,(?=[.!?])/g, '')
    .replace(/ {2,}/g, ' ')
    .trim();
}

function keyOf(key: string): string {
  return key.toLowerCase().replace(/[\s_-]+/g, '');
}
