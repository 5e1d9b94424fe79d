// Rendering takes some 30 ms and 1.5 ms for each letter: an opening of this length is heard within 150 ms.
const mostLetters = 70;
const fewestLetters = 15;

/**
 * A long first sentence in two pieces, parted at a comma or the like where the voice pauses anyway, so
 * that its beginning is heard while the rest is still being rendered.
 */
export function openingPiece(sentence: string): string[] {
  if (sentence.length <= mostLetters) return [sentence];
  const opening = sentence.slice(0, mostLetters);
  const ends = [...opening.matchAll(/[,;:–—]\s+/g)].map(({ index, 0: mark }) => index + mark.length);
  const conjunctions = [...opening.matchAll(/\s(?=(?:and|but|because|which|that|to|for|about|if|when|so)\s)/g)].map(
    ({ index }) => index + 1,
  );
  const spaces = [...opening.matchAll(/\s/g)].map(({ index }) => index + 1);
  const end = [ends, conjunctions, spaces]
    .map((places) => places.findLast((place) => place >= fewestLetters))
    .find(Boolean);
  return end ? [sentence.slice(0, end).trim(), sentence.slice(end).trim()] : [sentence];
}
