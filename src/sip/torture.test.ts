import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseNameAddress } from './header-values.ts';
import { cseqOf, fromOf, type SipMessage, toOf, topVia } from './message.ts';
import { type Parsed, parseMessage } from './parse-message.ts';
import { parseSipUri } from './uri.ts';

/** A message of the given lines; `body` follows the empty line. */
function parse(lines: string[], body = ''): Parsed {
  return parseMessage(Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`));
}

/** An otherwise proper request, its headers changed by name; undefined leaves one out. */
function request(startLine: string, changes: Record<string, string | undefined> = {}): string[] {
  const method = startLine.split(/\s/)[0];
  const headers: Record<string, string | undefined> = {
    Via: 'SIP/2.0/UDP host.example.com;branch=z9hG4bKkdjuw39',
    'Max-Forwards': '70',
    To: '<sip:user@example.com>',
    From: '<sip:caller@example.net>;tag=3838',
    'Call-ID': 'torture.0ha0isndaksdj99sdfafnl3lk233412',
    CSeq: `8 ${method}`,
    'Content-Length': '0',
    ...changes,
  };
  return [
    startLine,
    ...Object.entries(headers).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])),
  ];
}

function accepted(parsed: Parsed): SipMessage {
  assert.equal(parsed.kind, 'message', parsed.kind === 'faulty' ? parsed.fault : '');
  return (parsed as { message: SipMessage }).message;
}

function refused(parsed: Parsed, fault: RegExp, status = 400): void {
  assert.equal(parsed.kind, 'faulty');
  const { fault: said, status: answered, request } = parsed as Extract<Parsed, { kind: 'faulty' }>;
  assert.match(said, fault);
  assert.equal(answered, status);
  assert.ok(request, 'its sender can be told');
}

const invite = 'INVITE sip:user@example.com SIP/2.0';
const options = 'OPTIONS sip:user@example.com SIP/2.0';

describe('RFC 4475 §3.1.1, valid messages', () => {
  it('3.1.1.1 a short tortuous INVITE: folded lines, compact and odd-cased names, unusual white space', () => {
    const message = accepted(
      parse(
        [
          'INVITE sip:vivekg@chair-dnrc.example.com;unknownparam SIP/2.0',
          'TO :',
          ' sip:vivekg@chair-dnrc.example.com ;   tag    = 1918181833n',
          'from   : "J Rosenberg \\\\\\""       <sip:jdrosen@example.com>',
          '  ;',
          '  tag = 98asjd8',
          'MaX-fOrWaRdS: 0068',
          'Call-ID: wsinv.ndaksdj@192.0.2.1',
          'Content-Length   : 9',
          'cseq: 0009',
          '  INVITE',
          'Via  : SIP  /   2.0',
          ' /UDP',
          '    192.0.2.2;branch=390skdjuw',
          's :',
          'NewFangledHeader:   newfangled value',
          ' continued newfangled value',
          'UnknownHeaderWithUnusualValue: ;;,,;;,;',
          'Content-Type: application/sdp',
          'Route:',
          ' <sip:services.example.com;lr;unknownwith=value;unknown-no-value>',
          'v:  SIP  / 2.0  / TCP     spindle.example.com   ;',
          '  branch  =   z9hG4bK9ikj8  ,',
          ' SIP  /    2.0   / UDP  192.168.255.111   ; branch=',
          ' z9hG4bK30239',
          'm:"Quoted string \\"\\"" <sip:jdrosen@example.com> ; newparam =',
          '      newvalue ;',
          '  secondparam ; q = 0.33',
        ],
        '123456789',
      ),
    );
    assert.deepEqual(cseqOf(message), { number: 9, method: 'INVITE' });
    assert.equal(fromOf(message).displayName, 'J Rosenberg \\"');
    assert.equal(fromOf(message).parameters.get('tag'), '98asjd8');
    assert.equal(toOf(message).parameters.get('tag'), '1918181833n');
    assert.equal(message.headers.all('via').length, 3);
    assert.equal(topVia(message).parameters.get('branch'), '390skdjuw');
    assert.equal(message.headers.get('max-forwards'), '0068');
    assert.equal(parseNameAddress(message.headers.all('contact')[0] ?? '')?.parameters.get('q'), '0.33');
    assert.equal(message.body.toString(), '123456789');
  });

  it('3.1.1.2 a wide range of valid characters', () => {
    const method = "!interesting-Method0123456789_*+`.%indeed'~";
    const uri =
      "sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*:&it+has=1,weird!*pas$wo~d_too.(doesn't-it)@example.com";
    const message = accepted(
      parse(
        request(`${method} ${uri} SIP/2.0`, {
          'Call-ID': 'intmeth.word%ZK-!.*_+\'@word`~)(><:\\/"][?}{',
          To: '"BEL:\\\x07 NUL:\\\x01 DEL:\\\x7f" <sip:1_unusual.URI~(to-be!sure)&isn\'t+it$/crazy?,/;;*@example.com>',
          From: "token1~` token2'+_ token3*%!.- <sip:mundane@example.com>;fromParam''~+*_!.-%=\"работающий\";tag=_token~1'+`*%!-.",
        }),
      ),
    );
    assert.equal(message.kind === 'request' && message.method, method);
    assert.equal(fromOf(message).parameters.get('tag'), "_token~1'+`*%!-.");
    assert.ok(parseSipUri(uri));
  });

  it('3.1.1.3 escapes in a URI are kept apart from what they stand for', () => {
    const message = accepted(parse(request('INVITE sip:sips%3Auser%40example.com@example.net SIP/2.0')));
    const uri = parseSipUri((message as { uri: string }).uri);
    assert.equal(uri?.user, 'sips%3Auser%40example.com');
    assert.equal(uri?.host, 'example.net');
  });

  it('3.1.1.4 escaped nulls in a URI', () => {
    const message = accepted(
      parse(
        request('REGISTER sip:example.com SIP/2.0', {
          To: 'sip:null-%00-null@example.com',
          From: 'sip:null-%00-null@example.com;tag=839923423',
        }),
      ),
    );
    assert.equal(parseSipUri(toOf(message).uri)?.user, 'null-%00-null');
  });

  it('3.1.1.5 percent signs that are no escapes', () => {
    const message = accepted(
      parse(request('RE%47IST%45R sip:registrar.example.com SIP/2.0', { To: '"%Z%45" <sip:resource@example.com>' })),
    );
    assert.equal((message as { method: string }).method, 'RE%47IST%45R');
    assert.equal(toOf(message).displayName, '%Z%45');
  });

  it('3.1.1.6 no white space between display name and <', () => {
    const message = accepted(parse(request(options, { From: 'caller<sip:caller@example.com>;tag=323' })));
    assert.equal(fromOf(message).displayName, 'caller');
  });

  it('3.1.1.7 long values', () => {
    const long = 'x'.repeat(5_000);
    const message = accepted(
      parse(
        request(invite, {
          To: `"${long}" <sip:${long}@example.com>`,
          From: `<sip:caller@example.net;${long}=${long}>;tag=${long}`,
          'Call-ID': long,
        }),
      ),
    );
    assert.equal(fromOf(message).parameters.get('tag'), long);
  });

  it('3.1.1.8 extra octets behind the message of a datagram are not part of it', () => {
    const message = accepted(
      parse(request('REGISTER sip:example.com SIP/2.0'), 'INVITE sip:joe@example.com SIP/2.0\r\n'),
    );
    assert.equal(message.body.length, 0);
  });

  it('3.1.1.9 semicolons in the user part are not parameters', () => {
    const uri = parseSipUri('sip:user;par=u%40example.net@example.com');
    assert.equal(uri?.user, 'user;par=u%40example.net');
    assert.equal(uri?.parameters.size, 0);
  });

  it('3.1.1.10 unknown transports in Via', () => {
    const message = accepted(
      parse(
        request(options, {
          Via: 'SIP/2.0/UDP t1.example.com;branch=z9hG4bKkdjuw, SIP/2.0/SCTP t2.example.com;branch=z9hG4bKklasjdhf, SIP/2.0/UNKNOWN t4.example.com;branch=z9hG4bKasd0f3en',
        }),
      ),
    );
    assert.equal(message.headers.all('via').length, 3);
  });

  it('3.1.1.11 a body of several parts stays as it is', () => {
    const body = '--7a9cbec02ceef655\r\nContent-Type: text/plain\r\n\r\nHello\0\r\n--7a9cbec02ceef655--\r\n';
    const message = accepted(
      parse(
        request('MESSAGE sip:kumiko@example.org SIP/2.0', {
          'Content-Length': String(body.length),
          'Content-Type': 'multipart/mixed;boundary=7a9cbec02ceef655',
        }),
        body,
      ),
    );
    assert.equal(message.body.toString(), body);
  });

  it('3.1.1.12 an unusual reason phrase', () => {
    const message = accepted(
      parse(request('SIP/2.0 200 = 2**3 * 5**2 но сто девяносто девять - простое', { CSeq: '35 INVITE' })),
    );
    assert.equal((message as { reason: string }).reason, '= 2**3 * 5**2 но сто девяносто девять - простое');
  });

  it('3.1.1.13 an empty reason phrase', () => {
    const message = accepted(parse(request('SIP/2.0 100 ', { CSeq: '35 INVITE' })));
    assert.deepEqual([(message as { status: number }).status, (message as { reason: string }).reason], [100, '']);
  });
});

describe('RFC 4475 §3.1.2, invalid messages', () => {
  it('3.1.2.1 extraneous separators', () => {
    refused(
      parse(request(invite, { Contact: '"Joe" <sip:joe@example.org>;;;;,,;"', Via: 'SIP/2.0/UDP 192.0.2.15;;,;,,' })),
      /Contact|Via/,
    );
  });

  it('3.1.2.2 Content-Length larger than the message', () => {
    refused(parse(request(invite, { 'Content-Length': '9999' }), 'v=0'), /shorter/);
  });

  it('3.1.2.3 negative Content-Length', () => {
    refused(parse(request(invite, { 'Content-Length': '-999' })), /Content-Length/);
  });

  it('3.1.2.4 overlarge numbers in a request', () => {
    refused(parse(request('REGISTER sip:example.com SIP/2.0', { CSeq: '36893488147419103232 REGISTER' })), /CSeq/);
    refused(parse(request('REGISTER sip:example.com SIP/2.0', { 'Max-Forwards': '300' })), /Max-Forwards/);
    refused(parse(request('REGISTER sip:example.com SIP/2.0', { Expires: '10000000000000000000000' })), /Expires/);
  });

  it('3.1.2.5 overlarge numbers in a response', () => {
    const parsed = parse(request('SIP/2.0 503 Service Unavailable', { CSeq: '9292394834772304023312 OPTIONS' }));
    assert.equal(parsed.kind, 'faulty');
  });

  it('3.1.2.6 a quoted string without its end', () => {
    refused(parse(request(invite, { To: '"Mr. J. User <sip:j.user@example.com>' })), /to is not proper/);
  });

  it('3.1.2.7 <> around the Request-URI', () => {
    refused(parse(request('INVITE <sip:user@example.com> SIP/2.0')), /Request-URI/);
  });

  it('3.1.2.8 white space inside the Request-URI', () => {
    refused(parse(request('INVITE sip:user@example.com; lr SIP/2.0')), /Request-URI/);
  });

  it('3.1.2.9 and 3.1.2.10 extra spaces in the start line are forgiven', () => {
    accepted(parse(request('INVITE  sip:user@example.com  SIP/2.0')));
    accepted(parse(request('OPTIONS sip:remote-target@example.com SIP/2.0  ')));
  });

  it('3.1.2.11 headers in a Request-URI are seen as such', () => {
    assert.equal(
      parseSipUri('sip:user@example.com?Route=%3Csip:example.com%3E')?.headers,
      'Route=%3Csip:example.com%3E',
    );
  });

  it('3.1.2.12 a Date in another zone does not matter to us', () => {
    accepted(parse(request(invite, { Date: 'Fri, 01 Jan 2010 16:00:00 EST' })));
  });

  it('3.1.2.13 a Contact with headers outside of <>', () => {
    refused(
      parse(
        request('REGISTER sip:example.com SIP/2.0', {
          Contact: 'sip:user@example.com?Route=%3Csip:sip.example.com%3E',
        }),
      ),
      /Contact/,
    );
  });

  it('3.1.2.14 spaces within a URI', () => {
    refused(parse(request(options, { To: '"Watson, Thomas" < sip:t.watson@example.org >' })), /to is not proper/);
  });

  it('3.1.2.15 a display name that is neither quoted nor tokens', () => {
    refused(
      parse(request(options, { From: 'Bell, Alexander <sip:a.g.bell@example.com>;tag=43' })),
      /from is not proper/,
    );
  });

  it('3.1.2.16 an unknown version is 505', () => {
    refused(parse(request('OPTIONS sip:t.watson@example.org SIP/7.0')), /version/, 505);
  });

  it('3.1.2.17 and 3.1.2.18 the method of the start line differs from the one of CSeq', () => {
    refused(parse(request(options, { CSeq: '8 INVITE' })), /another method/);
    refused(parse(request('NEWMETHOD sip:user@example.com SIP/2.0', { CSeq: '8 INVITE' })), /another method/);
  });

  it('3.1.2.19 an overlarge status code', () => {
    const parsed = parse(request('SIP/2.0 4294967301 better not break the receiver', { CSeq: '8 INVITE' }));
    assert.equal(parsed.kind, 'faulty');
  });
});

describe('RFC 4475 §3.3, what the application sees', () => {
  it('3.3.1 missing headers', () => {
    for (const name of ['To', 'From', 'Call-ID', 'CSeq', 'Via']) {
      assert.equal(parse(request(invite, { [name]: undefined })).kind, 'faulty', name);
    }
  });

  it('3.3.2 to 3.3.4 unknown schemes are read but are no SIP URIs', () => {
    for (const uri of [
      'nobodyKnowsThisScheme:totallyopaquecontent',
      'soap.beep://192.0.2.103:3002',
      'http://www.example.com',
    ]) {
      accepted(parse(request(`OPTIONS ${uri} SIP/2.0`, { To: `<${uri}>` })));
      assert.equal(parseSipUri(uri), undefined);
    }
  });

  it('3.3.8 several values where one belongs', () => {
    refused(parse([...request(invite), 'To: sip:user@example.com', 'CSeq: 9 INVITE']), /several/);
  });

  it('3.3.9 several Content-Length', () => {
    refused(parse([...request(options), 'Content-Length: 5'], 'There'), /Content-Length/);
  });
});

describe('RFC 4475 §3.4, RFC 2543', () => {
  it('3.4.1 a Via without branch', () => {
    const message = accepted(
      parse(
        request('INVITE sip:UserB@example.com SIP/2.0', {
          Via: 'SIP/2.0/UDP iftgw.example.com',
          From: '<sip:+13035551111@ift.client.example.net;user=phone>',
        }),
      ),
    );
    assert.equal(topVia(message).parameters.has('branch'), false);
  });
});

describe('RFC 5118, IPv6', () => {
  it('addresses in Request-URI, Via and Contact, with and without port', () => {
    const message = accepted(
      parse(
        request('REGISTER sip:[2001:db8::10] SIP/2.0', {
          Via: 'SIP/2.0/UDP [2001:db8::9:1];received=[2001:db8::9:255];branch=z9hG4bKas3-111',
          Contact: '"Caller" <sip:caller@[2001:db8::1]>',
        }),
      ),
    );
    assert.equal(topVia(message).host, '[2001:db8::9:1]');
    assert.equal(topVia(message).parameters.get('received'), '[2001:db8::9:255]');
    assert.deepEqual(parseSipUri('sip:[2001:db8::10]:5070')?.port, 5070);
    assert.equal(parseSipUri('sip:user@[2001:db8::192.0.2.1]')?.host, '[2001:db8::192.0.2.1]');
  });

  it('without brackets it is no URI: the port cannot be told from the address', () => {
    assert.equal(parseSipUri('sip:2001:db8::10'), undefined);
    assert.equal(parseSipUri('sip:[2001:db8:::192.0.2.1]'), undefined);
  });
});

describe('whatever comes', () => {
  it('mutated messages are read or refused, never thrown at', () => {
    const original = Buffer.from(
      `${request(invite, { Contact: '"A" <sip:a@b.example>;q=0.5', Route: '<sip:p1.example;lr>, <sip:p2.example;lr>' }).join('\r\n')}\r\n\r\n`,
    );
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    for (let n = 0; n < 20_000; n++) {
      const mutant = Buffer.from(original);
      for (let i = 0; i <= random(4); i++) mutant[random(mutant.length)] = random(256);
      const parsed = parseMessage(random(5) === 0 ? mutant.subarray(0, random(mutant.length)) : mutant);
      if (parsed.kind === 'message') {
        topVia(parsed.message);
        cseqOf(parsed.message);
        fromOf(parsed.message);
        toOf(parsed.message);
      }
    }
  });
});
