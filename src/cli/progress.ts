const barWidth = 30;
const linesEvery = 10_000;

/** How far an import is, on stderr: a bar at a terminal, else a line now and then. */
export type Progress = {
  update(rows: number, failed: number, share: number | undefined): void;
  /** A word in between. */
  note(text: string): void;
  end(): void;
};

export function showProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
  let bar = '';
  let lastLineAt = 0;
  const draw = (text: string) => stream.write(`\r\x1b[K${text}`);
  return {
    update(rows, failed, share) {
      const text = `${rows} rows, ${failed} failed`;
      if (stream.isTTY) {
        bar = `${share === undefined ? '' : `${drawBar(share)} `}${text}`;
        draw(bar);
      } else if (rows - lastLineAt >= linesEvery) {
        lastLineAt = rows;
        stream.write(`${text} …\n`);
      }
    },
    note(text) {
      if (bar) draw(`${text}\n${bar}`);
      else stream.write(`${text}\n`);
    },
    end() {
      if (bar) draw('');
      bar = '';
    },
  };
}

function drawBar(share: number): string {
  const whole = Math.min(1, share);
  const filled = Math.round(whole * barWidth);
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}] ${Math.floor(whole * 100)} %`;
}
