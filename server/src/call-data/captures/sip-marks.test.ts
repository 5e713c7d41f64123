import { parseIdentities, parseStatedVerifications } from '@patchbay/rules/sip/identity'
import { findNetworkBlock } from '@patchbay/rules/sip/network-block'
import { parseSip } from '@patchbay/rules/sip/parser'
import { readCallFlows } from '@patchbay/testkit/calls/call-flows'
import { describe, expect, test } from 'vitest'
import { findMark, type Mark } from './sip-marks.ts'

/** Marks of captured messages. The search for candidates hides nothing. */

const toMessage = (lines: readonly string[], method = 'INVITE') => ({
  method,
  content: Buffer.from(`${lines.join('\r\n')}\r\n\r\n`),
})

const invite = 'INVITE sip:15085550002@3.3.3.3 SIP/2.0'
const cseq = 'CSeq: 1 INVITE'
const toPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const toToken = (claims: object, ppt = 'shaken'): string => `${toPart({ alg: 'ES256', ppt })}.${toPart(claims)}.c2ln`

describe('a mark', () => {
  test.each<[string, readonly string[], Mark | undefined]>([
    ['603 Network Blocked', ['SIP/2.0 603 Network Blocked', cseq], { kind: 'block' }],
    ['the phrase in other letters and spaces', ['sip/2.0 603  NETWORK BLOCKED ', cseq], { kind: 'block' }],
    [
      'details with another status, in a folded header',
      ['SIP/2.0 480 Gone', cseq, 'Reason:', ' Q.850;cause=21;text="V=Analytics1;tel=+15085550100"'],
      { kind: 'block' },
    ],
    ['603 Decline', ['SIP/2.0 603 Decline', cseq], undefined],
    ['608, which the record tells', ['SIP/2.0 608 Rejected', cseq], undefined],
    [
      'details in a provisional response',
      ['SIP/2.0 183 Progress', cseq, 'Reason: SIP;text="v=analytics1;id=1"'],
      undefined,
    ],
    ['the text in another header', ['SIP/2.0 603 Decline', cseq, 'Subject: v=analytics1;'], undefined],
    [
      'an Identity header in short form with a blank',
      [invite, cseq, `y : ${toToken({ attest: 'B' })};ppt=shaken`],
      { kind: 'identity', attestation: 'B', verification: '' },
    ],
    [
      'the level of the token shaken beside others',
      [invite, cseq, `Identity: ${toToken({ attest: 'C' }, 'div')};ppt=div, ${toToken({ attest: 'A' })};ppt="shaken"`],
      { kind: 'identity', attestation: 'A', verification: '' },
    ],
    [
      'a level that does not exist',
      [invite, `IDENTITY: ${toToken({ attest: 'D' })}`],
      { kind: 'identity', attestation: 'none', verification: '' },
    ],
    [
      'a stated verification only',
      [invite, cseq, 'From: <sip:+1508@example.org;verstat=No-TN-Validation>;tag=a'],
      { kind: 'identity', attestation: '', verification: 'none' },
    ],
    ['a stated verification of another form', [invite, cseq, 'X-Twilio-VerStat: perhaps'], undefined],
    ['an INVITE within a dialog', [invite, 'To: <sip:a@b>;tag=b', `Identity: ${toToken({ attest: 'A' })}`], undefined],
    ['an INVITE without identity', [invite, cseq, 'Subject: my identity: none'], undefined],
  ])('for %s', (_name, lines, mark) => {
    expect(findMark(toMessage(lines))).toEqual(mark)
  })

  test('is only for messages of INVITE transactions', () => {
    expect(findMark(toMessage(['SIP/2.0 603 Network Blocked', 'CSeq: 1 MESSAGE'], 'MESSAGE'))).toBeUndefined()
  })

  test('is found in the corpus of call flows wherever the complete parsers find a block or an identity', () => {
    const counts = { block: 0, identity: 0 }
    for (const { text } of readCallFlows().flatMap(({ messages }) => messages)) {
      const message = parseSip(text)
      const isInvite = message?.method === 'INVITE'
      const hasBlock = isInvite && findNetworkBlock(message)?.kind === 'analytics'
      const isClaimed =
        isInvite &&
        message.status === undefined &&
        message.toTag === '' &&
        (parseIdentities(message).length > 0 || parseStatedVerifications(message).some(({ result }) => result))
      const kind = hasBlock ? 'block' : isClaimed ? 'identity' : undefined
      expect([text, findMark({ method: message?.method ?? '', content: Buffer.from(text) })?.kind]).toEqual([
        text,
        kind,
      ])
      if (kind !== undefined) counts[kind] += 1
    }
    expect(counts.block).toBeGreaterThan(3)
    expect(counts.identity).toBeGreaterThan(3)
  })
})
