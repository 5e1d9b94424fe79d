import type { Ending } from '../mind.ts';

export type Stage = 'before' | 'introduced' | 'asking' | 'when' | 'ended';

/** Where a conversation stands, besides its questions. */
export interface State {
  stage: Stage;
  attempts: number;
  sideSteps: number;
  silences: number;
  wasReintroduced: boolean;
  saidStart: boolean;
  isThrough: boolean;
  brokenOff: string | undefined;
  menus: number;
  keys: string;
  elapsedMs: number;
  isMeasured: boolean;
  ending: Ending | undefined;
  transferredTo: string | undefined;
  callbackAt: string | undefined;
  lastSaid: string;
  pace: number;
}

export const newState: State = {
  stage: 'before',
  attempts: 0,
  sideSteps: 0,
  silences: 0,
  wasReintroduced: false,
  saidStart: false,
  isThrough: false,
  brokenOff: undefined,
  menus: 0,
  keys: '',
  elapsedMs: 0,
  isMeasured: false,
  ending: undefined,
  transferredTo: undefined,
  callbackAt: undefined,
  lastSaid: '',
  pace: 1,
};
