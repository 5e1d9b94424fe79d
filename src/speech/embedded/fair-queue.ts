/** What waits longer than others: an answer that somebody waits for, a word in passing, something for later. */
export const urgencies = ['now', 'soon', 'later'] as const;
export type Urgency = (typeof urgencies)[number];

/**
 * Work of many owners. The most urgent comes first; among equals the owners take turns, so that one with
 * much to do does not hold up the others.
 */
export class FairQueue<Item> {
  /** For each urgency the owners in the order of their turns, each with what it wants done. */
  readonly #waiting = new Map<Urgency, Map<object, Item[]>>(urgencies.map((urgency) => [urgency, new Map()]));

  add(item: Item, owner: object, urgency: Urgency): void {
    const owners = this.#owners(urgency);
    const items = owners.get(owner);
    if (items) items.push(item);
    else owners.set(owner, [item]);
  }

  /** To the head of its owner's items and of the turns: for work that was begun and came to nothing. */
  putBack(item: Item, owner: object, urgency: Urgency): void {
    const owners = this.#owners(urgency);
    const items = [item, ...(owners.get(owner) ?? [])];
    const others = [...owners].filter(([other]) => other !== owner);
    owners.clear();
    owners.set(owner, items);
    for (const [other, theirs] of others) owners.set(other, theirs);
  }

  take(): Item | undefined {
    for (const urgency of urgencies) {
      const owners = this.#owners(urgency);
      const [turn] = owners;
      if (!turn) continue;
      const [owner, items] = turn;
      const item = items.shift();
      owners.delete(owner);
      if (items.length > 0) owners.set(owner, items);
      return item;
    }
    return undefined;
  }

  remove(item: Item): boolean {
    for (const owners of this.#waiting.values()) {
      for (const [owner, items] of owners) {
        const index = items.indexOf(item);
        if (index === -1) continue;
        items.splice(index, 1);
        if (items.length === 0) owners.delete(owner);
        return true;
      }
    }
    return false;
  }

  get size(): number {
    let size = 0;
    for (const owners of this.#waiting.values()) for (const items of owners.values()) size += items.length;
    return size;
  }

  #owners(urgency: Urgency): Map<object, Item[]> {
    return this.#waiting.get(urgency) as Map<object, Item[]>;
  }
}
