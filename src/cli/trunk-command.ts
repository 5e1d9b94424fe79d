import type { Command } from 'commander';
import { loadTelephoneConfig } from '../config.ts';
import { checkTrunk, type Finding } from '../telephone/check-trunk.ts';
import { exitCode, Failure } from './failure.ts';
import { outputOf, remark } from './output.ts';
import { toNumber } from './validate.ts';
import { withTelephone } from './with-telephone.ts';

type CheckOptions = { number?: string; from?: string };

const marks = new Map([
  [true, 'good   '],
  [false, 'WRONG  '],
  [null, 'unknown'],
]);

export function addTrunkCommands(program: Command): void {
  const trunk = program.command('trunk').description('the SIP trunk that calls go out through');
  trunk
    .command('check')
    .description('find out whether the trunk of PARLEY_SIP_TRUNK works, and what is wrong if not')
    .option('--number <number>', 'call this number for a moment, to see which codec is spoken', toNumber)
    .option('--from <number>', 'the number that calls; needed with --number', toNumber)
    .addHelpText(
      'after',
      '\nIt asks with OPTIONS, authenticates with a REGISTER that changes nothing and, with --number, places one call.\nThe exit code is 0 when nothing is wrong.\n\nExample:\n  PARLEY_SIP_TRUNK="sip:trunk.example.com;transport=tls" parley trunk check',
    )
    .action(check);
}

async function check({ number, from }: CheckOptions, command: Command): Promise<void> {
  const config = loadTelephoneConfig();
  if (config.trunk === undefined)
    throw new Failure(
      exitCode.usage,
      'No trunk is set, so that calls go to the simulated phone network. Set PARLEY_SIP_TRUNK, such as sip:trunk.example.com:5060.',
    );
  if (number !== undefined && from === undefined)
    throw new Failure(exitCode.usage, 'With --number, --from must say which number calls.');
  const output = outputOf(command);
  const findings: Finding[] = [];
  await withTelephone(config, async ({ telephone, userAgent }, trunk) => {
    const call = number !== undefined && from !== undefined ? { number, from } : undefined;
    await checkTrunk({ config, trunk, telephone, userAgent }, call, (finding) => {
      const { check: what, isWell, text } = finding;
      findings.push({ check: what, isWell, text });
      if (!output.json) remark(`${marks.get(isWell)}  ${what.padEnd(14)} ${text}`);
    });
  });
  const isWrong = findings.some(({ isWell }) => isWell === false);
  output.result({ trunk: config.trunk, isWell: !isWrong, findings }, [
    isWrong ? 'Something is wrong with the trunk.' : 'Nothing is wrong with the trunk as far as could be seen.',
  ]);
  if (isWrong) process.exitCode = exitCode.failed;
}
