import type { TestContext } from 'node:test';
import type { Brief, Fact, Heard, Move, Turn } from '../../mind.ts';
import { brief } from '../../scripted/test-call.ts';
import { LlmMind, type LlmOptions } from '../llm-mind.ts';
import { type Chat, type ChatServer, chatServer } from './chat-server.ts';

export interface Spoken {
  /** What was handed over sentence by sentence, before the move. */
  aloud: string[];
  move: Move;
  /** All that was said. */
  said: string;
}

export interface LedCall extends ChatServer {
  mind: LlmMind;
  transcript: Turn[];
  facts: Fact[];
  /** Somebody says something. */
  hear(
    text: string,
    more?: Partial<Heard> & { signal?: AbortSignal; onSay?: (sentence: string) => void },
  ): Promise<Spoken>;
}

/** A call that was answered and introduced, led by a model that answers as told. */
export async function ledCall(
  t: TestContext,
  { options = {}, ...changes }: Partial<Brief> & { options?: Partial<LlmOptions> },
  ...answerers: ((chat: Chat) => unknown)[]
): Promise<LedCall> {
  const server = await chatServer(t, ...answerers);
  const mind = new LlmMind({ ...brief, ...changes }, { model: server.model, ...options });
  const transcript: Turn[] = [{ speaker: 'assistant', text: mind.introduction().say }];
  const facts: Fact[] = [];
  return {
    ...server,
    mind,
    transcript,
    facts,
    async hear(text, { signal, onSay, ...more } = {}) {
      transcript.push({ speaker: 'callee', text });
      const aloud: string[] = [];
      const heard = { text, confidence: 0.95, turn: transcript.length - 1, isInterruption: false, ...more };
      const move = await mind.heard(heard, {
        say(sentence) {
          aloud.push(sentence);
          onSay?.(sentence);
        },
        signal: signal ?? new AbortController().signal,
      });
      facts.push(...(move.facts ?? []));
      const said = [...aloud, move.say].filter((part) => part !== '').join(' ');
      if (said !== '') transcript.push({ speaker: 'assistant', text: said });
      return { aloud, move, said };
    },
  };
}
