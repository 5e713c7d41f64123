import type { CapturedMessage } from '@patchbay/contract/call-captures'
import { parseIpAddress } from '@patchbay/rules/networks/ip-address'
import type { SipMasker } from '@patchbay/rules/sip/masking/mask-message'
import { getTimeMicroseconds } from '../captures/capture-filter.ts'
import type { Datagram } from '../captures/pcap.ts'

/**
 * Returns the masked packets of captured messages, in the order of their times. Packets without valid addresses or a time,
 * which only Homer can return, are left out.
 */
export const maskDatagrams = (
  messages: readonly CapturedMessage[],
  { maskHost, maskMessage }: Pick<SipMasker, 'maskHost' | 'maskMessage'>,
): Datagram[] =>
  messages
    .map((message) => ({
      at: getTimeMicroseconds(message),
      source: { address: maskHost(message.srcIp), port: message.srcPort },
      destination: { address: maskHost(message.dstIp), port: message.dstPort },
      content: Buffer.from(maskMessage(message.raw)),
    }))
    .filter(
      ({ at, source, destination }) =>
        Number.isFinite(at) &&
        parseIpAddress(source.address)?.kind() === parseIpAddress(destination.address)?.kind() &&
        parseIpAddress(source.address) !== undefined,
    )
    .toSorted((a, b) => a.at - b.at)
