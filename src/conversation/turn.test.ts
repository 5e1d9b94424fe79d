import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Floor, isBackChannel, newFloor, type TurnEffect, type TurnEvent, takeTurn } from './turn.ts';

/** Plays events one after the other; what was to be done about them, in order. */
function play(...events: TurnEvent[]): { floor: Floor; effects: string[] } {
  let floor = newFloor;
  const effects: TurnEffect[] = [];
  for (const event of events) {
    const turned = takeTurn(floor, event);
    floor = turned.floor;
    effects.push(...turned.effects);
  }
  return {
    floor,
    effects: effects.map((effect) =>
      effect.kind === 'reply' && effect.isInterruption ? 'reply to interruption' : effect.kind,
    ),
  };
}

const at = (nowMs: number, isVoiced = true): TurnEvent => ({ kind: 'time', nowMs, isVoiced });
const speaking: TurnEvent = { kind: 'voice-began', isOpening: false, isLast: false };
const opening: TurnEvent = { kind: 'voice-began', isOpening: true, isLast: false };
const lastWords: TurnEvent = { kind: 'voice-began', isOpening: false, isLast: true };
const silent: TurnEvent = { kind: 'voice-ended' };
const begins = (atMs: number): TurnEvent => ({ kind: 'speech-began', atMs });
const says = (text: string, isAsking = false, confidence = 0.93): TurnEvent => ({
  kind: 'understood',
  text,
  confidence,
  lengthMs: 500,
  isAsking,
});

describe('takeTurn', () => {
  it('replies when the person has spoken', () => {
    assert.deepEqual(play(at(5_000), silent, begins(5_500), at(6_000), says('Yes.')).effects, ['reply']);
  });

  it('falls silent as soon as the person speaks, and replies to what they say', () => {
    const { effects } = play(at(5_000), speaking, at(7_000), begins(6_900), says('What is this about?'));
    assert.deepEqual(effects, ['hold', 'cut', 'reply to interruption']);
  });

  it('gives up its sentence when the person goes on speaking', () => {
    const { effects } = play(at(5_000), speaking, begins(7_000), at(7_800), at(8_000), says('No, wait, listen.'));
    assert.deepEqual(effects, ['hold', 'cut', 'reply to interruption']);
  });

  for (const text of ['Mm-hmm.', 'Uh-huh.', 'Okay.', 'Yeah, right.', 'I see.', '', 'Ah, ha.', 'Him.', 'Ride.']) {
    it(`goes on after ${JSON.stringify(text)}`, () => {
      assert.deepEqual(play(at(5_000), speaking, begins(7_000), at(7_500), says(text)).effects, ['hold', 'resume']);
    });
  }

  for (const text of ['Wait.', 'Who?', 'Sorry?', 'Stop it.', 'Not me.', 'Robot?', 'One moment.']) {
    it(`stops for ${JSON.stringify(text)}`, () => {
      const { effects } = play(at(5_000), speaking, begins(7_000), at(7_500), says(text));
      assert.deepEqual(effects, ['hold', 'cut', 'reply to interruption']);
    });
  }

  it('takes a doubtful no in the middle of a sentence for the grunt that it was', () => {
    const { effects } = play(at(5_000), speaking, begins(7_000), says('No, no.', false, 0.69));
    assert.deepEqual(effects, ['hold', 'resume']);
  });

  it('takes a word at the end of a question for its answer', () => {
    const { effects } = play(at(5_000), speaking, begins(7_000), says('Tuesday.', true));
    assert.deepEqual(effects, ['hold', 'cut', 'reply to interruption']);
  });

  it('takes a yes at the end of a question for its answer', () => {
    const { effects } = play(at(5_000), speaking, begins(7_000), says('Yes.', true));
    assert.deepEqual(effects, ['hold', 'cut', 'reply to interruption']);
  });

  it('takes no "no" for a back-channel', () => {
    assert.deepEqual(play(at(5_000), speaking, begins(7_000), says('No.')).effects.at(-1), 'reply to interruption');
  });

  for (const text of ['Hello?', 'Yes?', 'No.', 'Good morning, this is Ada.', 'Ada Lovelace speaking.']) {
    it(`does not mind ${JSON.stringify(text)} of somebody who picks up`, () => {
      assert.deepEqual(play(opening, begins(400), at(1_000), says(text)).effects, []);
    });
  }

  it('stops for a question at the pick-up', () => {
    const { effects } = play(opening, begins(400), at(1_500), says('Who is this?'));
    assert.deepEqual(effects, ['cut', 'reply to interruption']);
  });

  it('does not take the time that understanding takes for speech', () => {
    const { effects } = play(opening, begins(400), at(1_000), at(2_500, false), says('Hello?'));
    assert.deepEqual(effects, []);
    const held = play(at(5_000), speaking, begins(7_000), at(7_500), at(9_000, false), says('Okay.'));
    assert.deepEqual(held.effects, ['hold', 'resume']);
  });

  it('stops for somebody who goes on after picking up', () => {
    assert.deepEqual(play(opening, begins(400), at(2_180), at(2_200)).effects, ['cut']);
  });

  it('does not let its last words be stopped, but hears what is said into them', () => {
    const { effects } = play(at(5_000), lastWords, begins(6_000), at(8_000), says('And stop calling me.'));
    assert.deepEqual(effects, ['reply to interruption']);
  });

  it('asks into a silence once, and again after its own words', () => {
    const { effects } = play(
      at(1_000),
      silent,
      at(5_980),
      at(6_000),
      at(9_000),
      speaking,
      at(10_000),
      silent,
      at(15_000),
    );
    assert.deepEqual(effects, ['prompt', 'prompt']);
  });

  it('does not ask while the person speaks', () => {
    assert.deepEqual(play(at(1_000), silent, begins(5_000), at(9_000)).effects, []);
  });

  it('gives up a reply that is still being thought of when the person speaks on', () => {
    const { effects } = play(at(1_000), silent, begins(2_000), says('Well,'), begins(2_500), says('about five.'));
    assert.deepEqual(effects, ['reply', 'cut', 'reply to interruption']);
  });
});

describe('isBackChannel', () => {
  for (const text of ['Mm-hm.', 'Mhm', 'Uh huh', 'Yeah yeah', 'Okay, sure.', 'All right.', 'Hmm.', 'Oh, I see.'])
    it(`knows ${text}`, () => assert.ok(isBackChannel(text)));
  for (const text of ['No.', 'Yes, on Tuesday.', 'Okay, but who are you?', 'Stop.', 'Right now?'])
    it(`knows better than to ignore ${text}`, () => assert.ok(!isBackChannel(text)));
});
