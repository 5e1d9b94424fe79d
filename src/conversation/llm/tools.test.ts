import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ScriptedMind } from '../scripted/scripted-mind.ts';
import { brief } from '../scripted/test-call.ts';
import { noDeeds, toolsFor } from './tools.ts';

describe('the tools of a turn', () => {
  it('do nothing once nobody waits for it any more', async () => {
    const rules = ['Transfer to +12025550180 if they ask for a human.'];
    const mind = new ScriptedMind({ ...brief, rules });
    const deeds = noDeeds();
    const utterance = { text: 'For sales press one.', confidence: 1, turn: 1, isInterruption: false };
    const scene = { brief: { ...brief, rules }, mind, utterance, heard: [utterance], deeds, isOver: () => true };
    const input = { question: 1, status: 'answered', words: 'one', to: '+12025550180', keys: '1', when: 'tomorrow' };
    const tools = Object.values(toolsFor(scene));
    assert.equal(tools.length, 7);
    for (const { execute } of tools)
      await execute?.({ ...input, kind: 'completed' }, { toolCallId: 'c', messages: [], context: {} });
    assert.deepEqual(deeds, noDeeds());
    assert.deepEqual(mind.script.answers(), new ScriptedMind(brief).script.answers());
  });
});
