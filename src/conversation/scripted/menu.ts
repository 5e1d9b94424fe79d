import { keysIn } from './read-rule.ts';
import type { Order, Rule } from './rules.ts';
import { contentStems } from './words.ts';

const option = /\b(?:press|dial|say or press|select|choose)\s+(?:option |number |the )?(\w+|[*#])/gi;

/** The keys that the rules give for what a menu said; undefined where they say nothing. The first menu is number 0. */
export function keysFor(rules: readonly Rule[], menu: string, number: number): string | undefined {
  const orders = rules
    .flatMap((rule) => rule.orders)
    .filter((order): order is Extract<Order, { kind: 'menu' }> => order.kind === 'menu');
  for (const order of orders) {
    const offered = order.topic.length > 0 ? offeredKey(menu, order.topic) : undefined;
    const key = offered ?? order.keys[number] ?? order.keys.at(-1);
    if (key !== undefined) return key;
  }
  return undefined;
}

/** "Press one for sales" and "for sales, press one" both offer sales. */
function offeredKey(menu: string, topic: readonly string[]): string | undefined {
  const offers = [...menu.matchAll(option)].map((match) => ({
    at: match.index,
    end: match.index + match[0].length,
    key: keysIn(match[1] ?? '')[0],
  }));
  const isTopic = (text: string) => {
    const content = new Set(contentStems(text));
    return topic.every((word) => content.has(word));
  };
  for (const [index, { at, end, key }] of offers.entries()) {
    if (key === undefined) continue;
    const after = menu.slice(end, offers[index + 1]?.at ?? menu.length).split(/[.;!?,]/)[0] ?? '';
    const before =
      menu
        .slice(offers[index - 1]?.end ?? 0, at)
        .split(/[.;!?]/)
        .at(-1) ?? '';
    const isBefore = /\bfor\b|\bto (?:reach|speak|talk)\b/i.test(before) && before.trim() !== '';
    if (isTopic(isBefore ? before : after)) return key;
  }
  return undefined;
}
