import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Dialog, dialogKeyOf } from './dialog.ts';
import { newRequest, newResponse, type SipRequest } from './message.ts';

function invite(): SipRequest {
  const request = newRequest('INVITE', 'sip:bob@example.com');
  request.headers
    .set('via', 'SIP/2.0/UDP 127.0.0.1;branch=z9hG4bK1')
    .set('from', '"Ada" <sip:ada@example.com>;tag=a')
    .set('to', '<sip:bob@example.com>')
    .set('call-id', 'c1')
    .set('cseq', '5 INVITE')
    .set('contact', '<sip:ada@192.0.2.1>');
  return request;
}

function caller(...recordRoute: string[]): Dialog {
  const request = invite();
  const response = newResponse(request, 200, 'OK');
  response.headers
    .set('to', '<sip:bob@example.com>;tag=b')
    .set('contact', '<sip:bob@192.0.2.2:5070>')
    .set('record-route', ...recordRoute);
  return Dialog.ofCaller(request, response) as Dialog;
}

describe('a dialog', () => {
  it('needs a To tag and a Contact', () => {
    const request = invite();
    const response = newResponse(request, 180, 'Ringing');
    assert.equal(Dialog.ofCaller(request, response), undefined);
    response.headers.set('to', '<sip:bob@example.com>;tag=b');
    assert.equal(Dialog.ofCaller(request, response), undefined);
  });

  it('sends its requests to the Contact, numbered on from the INVITE', () => {
    const bye = caller().newRequest('BYE');
    assert.equal(bye.uri, 'sip:bob@192.0.2.2:5070');
    assert.equal(bye.headers.get('cseq'), '6 BYE');
    assert.equal(bye.headers.get('from'), '"Ada" <sip:ada@example.com>;tag=a');
    assert.equal(bye.headers.get('to'), '<sip:bob@example.com>;tag=b');
    assert.equal(bye.headers.has('route'), false);
  });

  it('acknowledges with the number of the INVITE', () => {
    const dialog = caller();
    dialog.newRequest('INFO');
    assert.equal(dialog.newRequest('ACK', 5).headers.get('cseq'), '5 ACK');
    assert.equal(dialog.newRequest('BYE').headers.get('cseq'), '7 BYE');
  });

  it('goes back through the proxies that recorded themselves, the nearest first', () => {
    const dialog = caller('<sip:far.example.com;lr>, <sip:near.example.com;lr>');
    const bye = dialog.newRequest('BYE');
    assert.deepEqual(bye.headers.all('route'), ['<sip:near.example.com;lr>', '<sip:far.example.com;lr>']);
    assert.equal(bye.uri, 'sip:bob@192.0.2.2:5070');
    assert.equal(dialog.nextHop, 'sip:near.example.com;lr');
  });

  it('obeys a strict router', () => {
    const bye = caller('<sip:far.example.com;lr>, <sip:strict.example.com>').newRequest('BYE');
    assert.equal(bye.uri, 'sip:strict.example.com');
    assert.deepEqual(bye.headers.all('route'), ['<sip:far.example.com;lr>', '<sip:bob@192.0.2.2:5070>']);
  });

  it('is found again by the requests of the other side', () => {
    const callee = Dialog.ofCallee(invite(), 'b') as Dialog;
    assert.equal(dialogKeyOf(caller().newRequest('BYE')), callee.key);
    assert.equal(dialogKeyOf(callee.newRequest('BYE')), caller().key);
    assert.equal(callee.newRequest('BYE').uri, 'sip:ada@192.0.2.1');
  });

  it('refuses requests that were overtaken', () => {
    const [dialog, peer] = [caller(), Dialog.ofCallee(invite(), 'b') as Dialog];
    const [first, second] = [peer.newRequest('INFO'), peer.newRequest('INFO')];
    assert.equal(dialog.accepts(second), true);
    assert.equal(dialog.accepts(first), false);
    assert.equal(dialog.accepts(peer.newRequest('BYE')), true);
  });

  it('follows the peer to a new Contact', () => {
    const dialog = caller();
    const update = newRequest('UPDATE', 'sip:ada@192.0.2.1');
    update.headers.set('contact', '<sip:bob@192.0.2.9>');
    dialog.refreshTarget(update);
    assert.equal(dialog.newRequest('BYE').uri, 'sip:bob@192.0.2.9');
  });
});
