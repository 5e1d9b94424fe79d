import { sentences } from '../../speech/text/sentences.ts';
import { keysIn } from '../scripted/read-rule.ts';
import type { Rule } from '../scripted/rules.ts';

const handsOver =
  /\b(?:transfer\w*|forward\w*|connect\w*|put\w*|hand\w*|rout\w+|pass\w*|redirect\w*|escalat\w+|refer\w*|send\w*)\b/i;
const forbids = /\b(?:never|not|don't|don’t|avoid)\b/i;

/** The numbers and SIP addresses to which the rules hand calls over; nobody else's. */
export function transferTargets(rules: readonly string[]): string[] {
  const found = rules
    .flatMap((rule) => sentences(rule))
    .filter((sentence) => handsOver.test(sentence) && !forbids.test(sentence))
    .flatMap((sentence) => [
      ...(sentence.match(/\bsips?:[^\s,;"'<>()]+/gi) ?? []).map((address) => address.replace(/[.!?]+$/, '')),
      ...(sentence.match(/(?<![\w:@])\+\d[\d ().-]{5,20}\d/g) ?? []).map(asNumber),
    ]);
  return [...new Set(found)];
}

/** The target that is meant, however its digits are grouped. */
export function targetNamed(to: string, targets: readonly string[]): string | undefined {
  const wanted = to.trim();
  return targets.find(
    (target) =>
      target.toLowerCase() === wanted.toLowerCase() || (/^\+[\d\s().-]+$/.test(wanted) && target === asNumber(wanted)),
  );
}

function asNumber(text: string): string {
  return `+${text.replace(/\D/g, '')}`;
}

const menuOffer =
  /\b(?:press|dial|select|choose|enter|push|hit)\b[^.?!]{0,40}\b(?:for|to)\b|\b(?:for|to)\b[^.?!]{1,80}\b(?:press|dial|select|choose|enter|push|hit)\b/i;

/** The keys that may be pressed now: what a menu offers, and what the rules say to press at one. */
export function keysAllowed(heard: string, rules: readonly Rule[]): string[] {
  if (!menuOffer.test(heard)) return [];
  const ruled = rules.flatMap(({ orders }) => orders.flatMap((order) => (order.kind === 'menu' ? order.keys : [])));
  return [...new Set([...ruled, ...keysIn(heard)])].filter((keys) => /^[\d*#]{1,8}$/.test(keys));
}
