import { z } from 'zod'
import type { OutgoingNetwork } from '../option-types.ts'
import { baseAddress, networkList, onOff, splitList, type Values } from './schemas.ts'

/** The settings of outgoing requests. */

const parseAddressList = (list: string): Record<string, string> =>
  Object.fromEntries(splitList(list).map((item) => [item.split('=')[0] ?? '', item.split('=').slice(1).join('=')]))

const isVendorAddress = ([host, origin]: [string, string]): boolean =>
  /^(?:\*\.)?[a-z0-9.-]+$/.test(host) && /^https?:$/.test(URL.parse(origin)?.protocol ?? '')

export const outgoingVariables = {
  PRIVATE_NETWORKS: networkList.prefault(''),
  VENDOR_ADDRESSES: z
    .string()
    .default('')
    .transform((list) => parseAddressList(list))
    .refine((addresses) => Object.entries(addresses).every(isVendorAddress), {
      error: 'must be host=origin, such as api.deepgram.com=http://127.0.0.1:9000, separated by commas',
    }),
  AWS_IDENTITY_FOR_SPEECH: onOff.default(false),
  PAGERDUTY_EVENTS_URL: baseAddress('https://events.pagerduty.com'),
}

type OutgoingEnvironment = Values<typeof outgoingVariables>

const getOutgoingNetwork = (env: OutgoingEnvironment): OutgoingNetwork => ({
  privateNetworks: env.PRIVATE_NETWORKS,
  vendorAddresses: env.VENDOR_ADDRESSES,
})

export const getOutgoingSettings = (env: OutgoingEnvironment) => ({
  /** Rules for outgoing requests: private networks that may be called, and replacements for vendors' addresses. */
  outgoing: getOutgoingNetwork(env),
  /** Whether AWS speech services may use the server's own identity, directly or to assume a role. */
  awsIdentityForSpeech: env.AWS_IDENTITY_FOR_SPEECH,
  /** Base URL of PagerDuty's Events API. */
  pagerDutyUrl: env.PAGERDUTY_EVENTS_URL,
})
