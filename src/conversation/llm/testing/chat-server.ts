import type { TestContext } from 'node:test';
import type { LanguageModel } from 'ai';
import { openLanguageModel } from '../../../speech/cloud/language-model.ts';
import { type Asked, httpServer } from '../../../speech/cloud/testing/vendor-server.ts';

/** One request to the model, answered piece by piece. */
export interface Chat {
  /** The messages as they came over the wire, the system prompt first. */
  messages: { role: string; content: string | null; tool_calls?: unknown[] }[];
  /** The names of the tools on offer. */
  tools: string[];
  maxTokens: number;
  text(piece: string): void;
  use(name: string, input: object): void;
  end(): void;
  /** The connection breaks. */
  cut(): void;
  fail(status: number): void;
  /** Ends when the client has gone away or the answer is complete. */
  closed: Promise<void>;
}

export interface ChatServer {
  /** What `PARLEY_OPENAI_COMPATIBLE_URL` is set to. */
  url: string;
  model: LanguageModel;
  chats: Chat[];
}

type Answerer = (chat: Chat) => unknown;

/** Speaks the streamed chat completions of OpenAI; the n-th request is answered by the n-th answerer. */
export async function chatServer(t: TestContext, ...answerers: Answerer[]): Promise<ChatServer> {
  const chats: Chat[] = [];
  const server = await httpServer(t, async (asked) => {
    const chat = chatOf(asked);
    const answer = answerers[chats.length];
    chats.push(chat);
    if (answer) await answer(chat);
    else chat.fail(500);
  });
  const url = `${server.url}/v1`;
  const model = openLanguageModel(
    { vendor: 'openai-compatible', model: 'some-model' },
    { 'openai-compatible': { baseUrl: url } },
  );
  return { url, model, chats };
}

const envelope = { id: 'c', created: 1, model: 'm' };

function chatOf({ body, response, closed }: Asked): Chat {
  const request = JSON.parse(String(body));
  let uses = 0;
  const send = (delta: object, finish: string | null = null) => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
    const choices = [{ index: 0, delta, finish_reason: finish }];
    response.write(`data: ${JSON.stringify({ ...envelope, object: 'chat.completion.chunk', choices })}\n\n`);
  };
  let whole = '';
  const endWhole = () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: whole }, finish_reason: 'stop' }];
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ ...envelope, object: 'chat.completion', choices }));
  };
  return {
    messages: request.messages,
    tools: (request.tools ?? []).map(({ function: { name } }: { function: { name: string } }) => name),
    maxTokens: request.max_tokens,
    text(piece) {
      if (request.stream) send({ role: 'assistant', content: piece });
      else whole += piece;
    },
    use(name, input) {
      const index = uses++;
      const id = `call_${index}_${Math.random()}`;
      send({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: JSON.stringify(input) } }] });
    },
    end() {
      if (!request.stream) return endWhole();
      send({}, uses > 0 ? 'tool_calls' : 'stop');
      response.end('data: [DONE]\n\n');
    },
    cut: () => response.destroy(),
    fail: (status) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end('{"error":{"message":"no"}}'),
    closed,
  };
}

/** Says all of it, then uses the tools. */
export function says(text: string, ...uses: [name: string, input: object][]): Answerer {
  return (chat) => {
    if (text !== '') chat.text(text);
    for (const [name, input] of uses) chat.use(name, input);
    chat.end();
  };
}
