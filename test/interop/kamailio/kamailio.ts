import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Protocol } from '../../../src/sip/transport.ts';
import {
  type Certificate,
  freePortPair,
  host,
  makeCertificate,
  type PeerProcess,
  startPeer,
  temporaryFolder,
} from '../peer.ts';

export const account = { username: 'parley', password: 'a password' };

/** A proxy that lets us call through its gateways, and calls whoever has registered. */
export type Kamailio = Pick<PeerProcess, 'output' | 'says'> & {
  port: number;
  /** What a telephone takes for its trunk. */
  trunk: (protocol: Protocol) => string;
  /** What its certificate for TLS is trusted by. */
  ca: string;
};

/** `gateways` are ports, in the order in which they are tried. */
export async function startKamailio(gateways: number[]): Promise<Kamailio> {
  const folder = await temporaryFolder('kamailio');
  const port = await freePortPair();
  const certificate = await makeCertificate(folder);
  const list = gateways.map((gateway, i) => `1 sip:${host}:${gateway} 0 ${100 - i}\n`).join('');
  await writeFile(join(folder, 'gateways'), list);
  await writeFile(join(folder, 'kamailio.cfg'), config(port, folder, certificate, gateways));
  const memory = ['-m', '32', '-M', '4'];
  const args = ['-f', join(folder, 'kamailio.cfg'), '-DD', '-E', '-Y', folder, ...memory];
  const peer = startPeer('/usr/sbin/kamailio', args, { hasChildren: true });
  await peer.listens('udp', port);
  await peer.listens('tcp', port);
  await peer.listens('tcp', port + 1);
  await peer.says(/is ready/);
  const trunk = (protocol: Protocol) => `sip:${host}:${protocol === 'tls' ? port + 1 : port};transport=${protocol}`;
  return { ...peer, port, trunk, ca: certificate.cert };
}

const modules = 'tm sl rr pv maxfwd textops siputils xlog auth usrloc registrar dispatcher corex tls'.split(' ');

const config = (port: number, folder: string, { keyFile, certFile }: Certificate, gateways: number[]) => `#!KAMAILIO
debug=1
log_stderror=yes
children=2
tcp_children=1
auto_aliases=no
listen=udp:${host}:${port}
listen=tcp:${host}:${port}
listen=tls:${host}:${port + 1}
enable_tls=yes
${modules.map((name) => `loadmodule "${name}.so"`).join('\n')}
modparam("tls", "tls_method", "TLSv1.2+")
modparam("tls", "private_key", "${keyFile}")
modparam("tls", "certificate", "${certFile}")
modparam("tm", "fr_timer", 700)
modparam("tm", "fr_inv_timer", 30000)
modparam("auth", "nonce_expire", 2)
modparam("usrloc", "db_mode", 0)
modparam("dispatcher", "list_file", "${folder}/gateways")
modparam("dispatcher", "flags", 2)

event_route[core:worker-one-init] {
  xlog("L_ALERT", "is ready\\n");
}

request_route {
  if (!mf_process_maxfwd_header("10")) {
    sl_send_reply("483", "Too Many Hops");
    exit;
  }
  if (is_method("CANCEL")) {
    xlog("L_ALERT", "saw CANCEL from $sp\\n");
    if (t_check_trans()) t_relay();
    exit;
  }
  if (has_totag()) {
    if (loose_route()) {
      xlog("L_ALERT", "routed $rm from $sp by $pr\\n");
      t_relay();
    } else if (is_method("ACK")) {
      if (t_check_trans()) t_relay();
    } else {
      xlog("L_ALERT", "cannot route $rm from $sp\\n");
      sl_send_reply("404", "Not Here");
    }
    exit;
  }
  if (is_method("REGISTER")) {
    if ($au != "${account.username}" || !pv_www_authenticate("kamailio", "${account.password}", "0")) {
      www_challenge("kamailio", "1");
      exit;
    }
    xlog("L_ALERT", "registered $fU\\n");
    save("location");
    exit;
  }
  if (!is_method("INVITE")) {
    sl_send_reply("405", "Method Not Allowed");
    exit;
  }
  record_route();
  if ($rU =~ "^[a-z]") {
    if (!lookup("location")) {
      sl_send_reply("404", "Not Found");
      exit;
    }
    t_relay();
    exit;
  }
  if ($au != "${account.username}" || !pv_proxy_authenticate("kamailio", "${account.password}", "0")) {
    proxy_challenge("kamailio", "1");
    exit;
  }
  consume_credentials();
  if ($rU == "+12025550999") {
    $ru = "sip:$rU@${host}:${gateways[0]}";
${gateways
  .slice(1)
  .map((gateway) => `    append_branch("sip:$rU@${host}:${gateway}");`)
  .join('\n')}
    t_relay();
    exit;
  }
  ds_select_dst("1", "8");
  t_on_failure("NEXT");
  t_relay();
}

failure_route[NEXT] {
  if (t_is_canceled()) exit;
  if (t_check_status("503") || t_branch_timeout()) {
    xlog("L_ALERT", "next gateway for $rU\\n");
    if (ds_next_dst()) {
      t_on_failure("NEXT");
      t_relay();
    }
  }
}
`;
