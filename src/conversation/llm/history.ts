import type { ModelMessage } from 'ai';
import type { Heard } from '../mind.ts';
import { asSpeech } from './prompt.ts';

export interface ToolUse {
  id: string;
  name: string;
  input: unknown;
  output: string;
}

/** What was said and done between two requests to the model. */
export interface Step {
  said: string[];
  uses: ToolUse[];
}

export interface Exchange {
  /** Absent: the assistant spoke unasked. */
  heard?: Heard;
  steps: Step[];
}

/** The call as the model is told it: what was heard, and what was really handed over to be spoken. */
export class History {
  readonly #exchanges: Exchange[] = [];

  get heard(): Heard[] {
    return this.#exchanges.flatMap(({ heard }) => heard ?? []);
  }

  get said(): string[] {
    return this.#exchanges.flatMap(({ steps }) => steps.flatMap(({ said }) => said));
  }

  hear(heard: Heard): Exchange {
    const last = this.#exchanges.at(-1);
    // Somebody who spoke on before there was a reply said one thing, not two.
    if (last?.heard?.turn === heard.turn && last.steps.every(isEmpty)) this.#exchanges.pop();
    const exchange: Exchange = { heard, steps: [] };
    this.#exchanges.push(exchange);
    return exchange;
  }

  /** The assistant said this without asking the model. */
  say(text: string): void {
    if (text === '') return;
    const last = this.#exchanges.at(-1) ?? { steps: [] };
    if (this.#exchanges.length === 0) this.#exchanges.push(last);
    last.steps.push({ said: [text], uses: [] });
  }

  /** Some vendors want the first word to be the user's, and nobody to speak twice in a row. */
  messages(): ModelMessage[] {
    const messages: ModelMessage[] = [];
    let told = ['[The call was answered.]'];
    for (const { heard, steps } of this.#exchanges) {
      if (heard) told.push(asSpeech(heard));
      if (steps.every(isEmpty)) continue;
      messages.push({ role: 'user', content: told.join('\n') }, ...steps.flatMap(messagesOf));
      told = [];
    }
    if (told.length > 0) messages.push({ role: 'user', content: told.join('\n') });
    return messages;
  }
}

function isEmpty({ said, uses }: Step): boolean {
  return said.length === 0 && uses.length === 0;
}

function messagesOf(step: Step): ModelMessage[] {
  const text = step.said.join(' ');
  if (step.uses.length === 0) return text === '' ? [] : [{ role: 'assistant', content: text }];
  return [
    {
      role: 'assistant',
      content: [
        ...(text === '' ? [] : [{ type: 'text' as const, text }]),
        ...step.uses.map(({ id, name, input }) => ({
          type: 'tool-call' as const,
          toolCallId: id,
          toolName: name,
          input,
        })),
      ],
    },
    {
      role: 'tool',
      content: step.uses.map(({ id, name, output }) => ({
        type: 'tool-result' as const,
        toolCallId: id,
        toolName: name,
        output: { type: 'text' as const, value: output },
      })),
    },
  ];
}
