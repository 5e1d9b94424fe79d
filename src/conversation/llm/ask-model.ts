import { isStepCount, type LanguageModel, type ModelMessage, streamText, type ToolSet } from 'ai';
import { EngineError } from '../../speech/cloud/engine-error.ts';
import { linkedAbort } from '../../speech/cloud/linked-abort.ts';

// The SDK prints what a vendor's model does not support, once for each request.
globalThis.AI_SDK_LOG_WARNINGS = false;

// Noting an answer, then asking for the next, with one step in reserve.
const mostSteps = 4;
// Room for a model that thinks first; how much is spoken is limited elsewhere.
const mostTokens = 800;

/** Hears a model out as it speaks. */
export interface Listener {
  onText(text: string): void;
  /** The text so far is followed by another request to the model. */
  onStep(): void;
  /** The model has begun to use a tool; it is used once the model has finished speaking. */
  onToolBegun(name: string): void;
  onToolUse(use: { id: string; name: string; input: unknown; output: string }): void;
  /** Whether the turn is complete, so that no further request is needed. */
  isDone(): boolean;
}

export interface Question {
  model: LanguageModel;
  instructions: string;
  messages: ModelMessage[];
  tools: ToolSet;
  signal: AbortSignal;
  /** How long the model may take until it has said something, and how long until it shows any sign of life. */
  hasSpoken: () => boolean;
  deadlineAt: number;
  aliveWithinMs: number;
  /** How long it may be silent in the middle. */
  stallMs: number;
}

/** Ends when the model has finished or `signal` has; throws when it failed or is late. */
export async function askModel(question: Question, listener: Listener): Promise<void> {
  const { signal, deadlineAt, hasSpoken } = question;
  const { controller, unlink } = linkedAbort(signal);
  let timer: NodeJS.Timeout | undefined;
  const expect = (ms: number, what: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => controller.abort(new EngineError('timeout', what)), Math.max(0, ms));
  };
  const left = () => deadlineAt - performance.now();
  try {
    expect(Math.min(question.aliveWithinMs, left()), 'no sign of life');
    const { stream } = streamText({
      model: question.model,
      instructions: question.instructions,
      messages: question.messages,
      tools: question.tools,
      toolCallConcurrency: 1,
      stopWhen: [isStepCount(mostSteps), () => listener.isDone()],
      maxOutputTokens: mostTokens,
      maxRetries: 0,
      // Conversations are nobody else's to keep.
      providerOptions: { openai: { store: false } },
      abortSignal: controller.signal,
      // It would print the error, and with it what was said.
      onError: () => {},
    });
    let steps = 0;
    for await (const part of stream) {
      controller.signal.throwIfAborted();
      if (part.type === 'error') throw part.error;
      if (part.type === 'start-step' && ++steps > 1) listener.onStep();
      if (part.type === 'text-delta') listener.onText(part.text);
      if (part.type === 'tool-input-start') listener.onToolBegun(part.toolName);
      if (part.type === 'tool-result')
        listener.onToolUse({
          id: part.toolCallId,
          name: part.toolName,
          input: part.input,
          output: String(part.output),
        });
      if (part.type === 'start' || part.type === 'start-step') continue;
      if (hasSpoken()) expect(question.stallMs, 'stopped in the middle');
      else expect(left(), 'no sentence');
    }
    controller.signal.throwIfAborted();
  } catch (error) {
    if (!signal.aborted) throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    unlink();
    // Whatever is still under way is of no use.
    controller.abort();
  }
}
