import type { RuleName } from '../sip/findings/findings.ts'

const followOffer =
  'Correct the media settings of the side that answered, whose SDP does not follow the offer, or offer what it supports.'

/**
 * Says what to do about the problems of answered calls, by the rule that found them. The verdict names the side, and the finding
 * the hosts.
 */
const adviceOfRules: Partial<Record<RuleName, string>> = {
  noAck:
    'Check that the answer reaches the side that has to acknowledge it, that the ACK repeats its tags and its CSeq number, and what proxies and firewalls do with the ACK.',
  noMediaReceived:
    'Check what keeps the media from this side: the addresses in the SDP, a NAT, or a firewall in front of a media server.',
  noOutgoingMedia: 'Check why this side sent no media, for example whether it was muted, or its media server failed.',
  codecs: 'Enable an offered codec on the side that answered, or offer one that it supports.',
  oneWay:
    'Check why this side stops or rejects the audio in its SDP: hold, music on hold, or a setting for the direction of media.',
  noAnswerToOffer:
    'Let both sides describe their media: an offer in SDP needs an answer in SDP, in the response or the ACK.',
  badAnswer: followOffer,
  badChange: followOffer,
}

const advice: ReadonlyMap<string, string> = new Map(Object.entries(adviceOfRules))

/** Returns what to do about the problem that a rule found. */
export const getProblemAdvice = (rule: string): string => advice.get(rule) ?? 'Open the messages of this finding.'
