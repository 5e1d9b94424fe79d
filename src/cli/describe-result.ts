import { styleText } from 'node:util';
import type { CallResource } from '../domain/call.ts';
import type { CallEvent } from '../domain/call-event.ts';
import type { Answer } from '../domain/call-result.ts';
import { minutesAndSeconds, transcriptLine } from '../domain/transcript-text.ts';
import { printable, table } from './output.ts';

const answeredBy: Record<(CallEvent & { type: 'answered_by' })['kind'], string> = {
  person: 'a person',
  voicemail: 'voicemail',
  screener: 'a call screener',
  menu: 'a menu',
  silence: 'silence',
  fax: 'a fax machine',
  intercept: 'an announcement of the carrier',
};

/** What happened, in one line; in colour only where the stream is a terminal. */
export function describeEvent(event: CallEvent, stream: NodeJS.WriteStream): string {
  const paint = (colour: 'dim' | 'cyan' | 'yellow' | 'bold', text: string) =>
    styleText(colour, printable(text), { stream });
  switch (event.type) {
    case 'answered_by':
      return paint('dim', `  it is ${answeredBy[event.kind] ?? event.kind}`);
    case 'utterance':
      return event.speaker === 'assistant' ? paint('cyan', transcriptLine(event)) : printable(transcriptLine(event));
    case 'keys':
      return paint('dim', `[${minutesAndSeconds(event.atMs)}] keys ${event.keys}`);
    case 'note':
      return paint('yellow', `  note: ${event.text}`);
    default:
      return paint(event.type === 'ended' ? 'bold' : 'dim', `  ${event.type}`);
  }
}

/** A call and how it went, for people. */
export function describeResult(call: CallResource, baseUrl: string): string[] {
  if (!call.outcome) return [`The call is ${call.status.replace('_', ' ')}.`];
  const { kind, endedBy, reason, sipStatus } = call.outcome;
  const { answers = [], notes = [], summary, callbackAt, recordingUrl, erasedAt } = call;
  const seconds = talkSeconds(call);
  return [
    `Outcome: ${kind}, ended by ${endedBy}${sipStatus === null ? '' : `, SIP ${sipStatus}`}${seconds === undefined ? '' : `, ${seconds} s after the answer`}`,
    ...(reason ? [`Reason: ${reason}`] : []),
    ...(answers.length > 0 ? ['', ...table(answers.map(toRow)), ''] : []),
    ...(summary ? [`Summary: ${summary}`] : []),
    ...(callbackAt ? [`To be called again at ${callbackAt}`] : []),
    ...notes.map((note) => `Note: ${note}`),
    ...(recordingUrl ? [`Recording: ${baseUrl}${recordingUrl}`] : []),
    ...(erasedAt ? [`Its personal data was erased at ${erasedAt}`] : []),
  ].map(printable);
}

function talkSeconds({ answeredAt, endedAt }: CallResource): string | undefined {
  if (!answeredAt || !endedAt) return undefined;
  return ((Date.parse(endedAt) - Date.parse(answeredAt)) / 1000).toFixed(1);
}

function toRow({ question, status, answer, value }: Answer): Record<string, string> {
  return {
    question: shorten(question),
    status: status.replace('_', ' '),
    answer: shorten(answer ?? ''),
    value:
      value === null || value === undefined ? '' : shorten(typeof value === 'string' ? value : JSON.stringify(value)),
  };
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}
