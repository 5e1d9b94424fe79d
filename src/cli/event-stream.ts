export type StreamedEvent = { id: string; data: string };

/** The events of a `text/event-stream`; comments are left out. */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder();
  let pending = '';
  for await (const chunk of body) {
    pending += decoder.decode(chunk, { stream: true });
    const messages = pending.split('\n\n');
    pending = messages.pop() ?? '';
    for (const message of messages) {
      const fields = new Map(message.split('\n').map(toField));
      const data = fields.get('data');
      if (data !== undefined) yield { id: fields.get('id') ?? '', data };
    }
  }
}

function toField(line: string): [string, string] {
  const at = line.indexOf(': ');
  return [line.slice(0, at), line.slice(at + 2)];
}
