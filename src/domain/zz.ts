import { readFile } from 'node:fs';
export const x = readFile;
