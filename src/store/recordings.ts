import { unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from './database.ts';

export function recordingPath(folder: string, callId: string): string {
  return join(folder, `${callId}.wav`);
}

/** Deletes the recording of an erased call if it is here; else the process that has it will. */
export async function deleteRecording(db: Database, folder: string, callId: string): Promise<void> {
  const wasHere = await unlink(recordingPath(folder, callId)).then(
    () => true,
    (error) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
  if (wasHere) await db.query('UPDATE calls SET has_recording = false WHERE id = $1', [callId]);
}

/** Deletes the recordings here of calls that were erased through another process. */
export async function deleteErasedRecordings(db: Database, folder: string): Promise<void> {
  const { rows } = await db.query('SELECT id FROM calls WHERE erased_at IS NOT NULL AND has_recording');
  for (const { id } of rows) await deleteRecording(db, folder, id);
}
