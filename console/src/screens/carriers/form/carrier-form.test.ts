import { newVoipCarrier } from '@patchbay/contract/voip-carriers'
import { voipCarrierLengths } from '@patchbay/contract/voip-carriers/record'
import { describe, expect, test } from 'vitest'
import { dtmfOptions } from '../../../record/dtmf-options.ts'
import { TOAST_MS } from '../../../ui/overlay/toast.tsx'
import {
  type CarrierValues,
  carrierValues,
  emptyCarrier,
  minTechPrefixLength,
  orderLike,
  toCarrierPayload,
} from './carrier-form.ts'
import { formField, isEmptyChange, toChanges, toGatewaysPayload } from './changes.ts'
import {
  newSipGateway,
  newSmppGateway,
  protocolLabels,
  type SipGatewayValues,
  type SmppGatewayValues,
  toNetmaskOptions,
  toSipGatewayPayload,
  toSmppGatewayPayload,
} from './gateways.ts'

const sip = (more: Partial<SipGatewayValues> = {}): SipGatewayValues => ({
  ...newSipGateway,
  ipv4: '10.0.0.1',
  ...more,
})
const smpp = (more: Partial<SmppGatewayValues> = {}): SmppGatewayValues => ({
  ...newSmppGateway,
  ipv4: '10.0.0.1',
  inbound: false,
  ...more,
})
const carrier = (more: Partial<CarrierValues> = {}): CarrierValues => ({
  ...emptyCarrier,
  name: 'Telco',
  sip_gateways: [sip()],
  ...more,
})

/** Returns the error messages by field. */
const getErrors = (more: Partial<CarrierValues>) => {
  const { success, error } = carrierValues.safeParse(carrier(more))
  return success ? {} : Object.fromEntries(error.issues.map(({ path, message }) => [path.join('.'), message]))
}

describe('the carrier', () => {
  test('CARRIERS-16 the name is required', () => {
    expect(getErrors({ name: '  ' })).toEqual({ name: 'Enter a name' })
    expect(getErrors({})).toEqual({})
  })

  test.each<[string, Partial<CarrierValues>, Record<string, string>]>([
    ['a user name alone', { register_username: 'us' }, { register_password: expect.any(String) }],
    ['a password alone', { register_password: 'secret' }, { register_username: expect.any(String) }],
    ['both', { register_username: 'us', register_password: 'secret' }, {}],
    ['an inbound password alone', { inbound_auth_password: 'secret' }, { inbound_auth_username: expect.any(String) }],
  ])('CARRIERS-18 auth user name and password must be set together: %s', (_, values, wrong) => {
    expect(getErrors(values)).toEqual(wrong)
  })

  test('CARRIERS-19 registration requires a SIP realm, a user name, and a password', () => {
    const requiredErrors = { register_sip_realm: expect.any(String), register_username: expect.any(String) }
    expect(getErrors({ requires_register: true })).toEqual({ ...requiredErrors, register_password: expect.any(String) })
    const registration = { requires_register: true, register_username: 'us', register_password: 'secret' }
    expect(getErrors({ ...registration, register_sip_realm: 'sip:telco' })).toEqual({
      register_sip_realm: expect.any(String),
    })
    expect(getErrors({ ...registration, register_sip_realm: 'sip.telco.example' })).toEqual({})
  })

  test('CARRIERS-20 a tech prefix has at least three characters', () => {
    expect(getErrors({ tech_prefix: '12' })).toEqual({ tech_prefix: 'Use at least 3 characters' })
    expect(getErrors({ tech_prefix: '123' })).toEqual({})
    expect(getErrors({ tech_prefix: '' })).toEqual({})
  })

  test('COMMON-45 DTMF modes are RFC 2833 and tones, and a stored mode remains selectable', () => {
    expect(dtmfOptions('rfc2833').map(({ label }) => label)).toEqual(['RFC 2833', 'Tones'])
    expect(dtmfOptions('info')).toHaveLength(3)
  })

  test('COMMON-59 a toast is shown for 5000 ms, and a tech prefix has at least 3 characters', () => {
    expect([TOAST_MS, minTechPrefixLength]).toEqual([5000, 3])
  })

  test('CARRIERS-22 removes whitespace from the outbound SIP proxy and requires a valid host', () => {
    expect(getErrors({ outbound_sip_proxy: 'sip: proxy.example.com :5060' })).toEqual({})
    expect(toCarrierPayload(carrier({ outbound_sip_proxy: ' sip: proxy.example.com :5060 ' })).outbound_sip_proxy).toBe(
      'sip:proxy.example.com:5060',
    )
    expect(getErrors({ outbound_sip_proxy: 'localhost' })).toEqual({
      outbound_sip_proxy: 'Please provide a valid SIP Proxy domain or IP address.',
    })
  })

  test('CARRIERS-23 sends empty texts as null, and registration fields only if registration is enabled', () => {
    const { name, ...rest } = toCarrierPayload(carrier())
    expect(name).toBe('Telco')
    expect(Object.values(rest)).not.toContain('')
    expect(rest).toMatchObject({ account_sid: null, application_sid: null, tech_prefix: null, smpp_password: null })
    expect(rest).not.toHaveProperty('register_from_user')
    expect(toCarrierPayload(carrier({ requires_register: true, register_from_user: 'us' }))).toMatchObject({
      register_from_user: 'us',
      register_from_domain: null,
      register_public_ip_in_contact: false,
      trunk_type: 'reg',
    })
    expect(toCarrierPayload(carrier({ inbound_auth_username: 'them' })).trunk_type).toBe('auth')
  })
})

test.each(Object.entries(voipCarrierLengths))(
  '%s has at most %i characters, in the form and in the API',
  (name, max) => {
    const credentials = {
      register_username: 'us',
      register_password: 'secret',
      inbound_auth_username: 'us',
      inbound_auth_password: 'p',
    }
    const validate = (length: number) => {
      const values = carrier({ ...credentials, requires_register: true, register_sip_realm: 'sip.example.com' })
      const domain = ['register_sip_realm', 'register_from_domain', 'outbound_sip_proxy'].includes(name)
      const text = domain ? 'sip.'.repeat(length).slice(0, length - 1) + 'x' : 'x'.repeat(length)
      const smpp_gateways = name.startsWith('smpp') ? [smpp({ inbound: false })] : []
      const carrierWithText = { ...values, smpp_gateways, [name]: text }
      const form = carrierValues
        .safeParse(carrierWithText)
        .error?.issues.map(({ path, message }) => [path.join('.'), message])
      return { form, wire: newVoipCarrier.safeParse(toCarrierPayload(carrierWithText)).error?.issues[0]?.message }
    }
    expect(validate(max)).toEqual({ form: undefined, wire: undefined })
    expect(validate(max + 1)).toEqual({
      form: [[name, `Use at most ${max} characters`]],
      wire: `must be at most ${max} characters long`,
    })
  },
)

describe('SIP gateways', () => {
  test('CARRIERS-31 a new gateway is an active inbound address with port 5060 and netmask 32', () => {
    expect(newSipGateway).toMatchObject({
      port: '5060',
      netmask: '32',
      inbound: true,
      outbound: false,
      is_active: true,
    })
    expect(emptyCarrier.sip_gateways).toEqual([newSipGateway])
  })

  test('CARRIERS-32 COMMON-41 COMMON-42 protocols are UDP, TCP, TLS and TLS/SRTP, netmasks 1 to 32', () => {
    expect(Object.values(protocolLabels)).toEqual(['UDP', 'TCP', 'TLS', 'TLS/SRTP'])
    const bits = toNetmaskOptions('32').map(({ value }) => Number(value))
    expect(bits).toEqual(Array.from({ length: 32 }, (_, index) => 32 - index))
    expect(toNetmaskOptions('0').at(-1)).toEqual({ value: '0', label: '/0' })
  })

  const invalid = 'Please provide a valid IP address or fully qualified domain name.'
  const outboundOnly = 'A fully qualified domain name may only be used for outbound calls.'
  test.each<[string, Partial<SipGatewayValues>, string | undefined]>([
    ['an address', {}, undefined],
    ['nothing', { ipv4: '' }, invalid],
    ['no host', { ipv4: 'localhost' }, invalid],
    ['an address with netmask', { ipv4: '10.0.0.1/24' }, invalid],
    ['an inbound name', { ipv4: 'sip.example.com' }, outboundOnly],
    ['a name in both directions', { ipv4: 'sip.example.com', outbound: true }, outboundOnly],
    ['an inbound name without subdomain', { ipv4: 'example.com' }, outboundOnly],
    ['an outbound name', { ipv4: 'sip.example.com', inbound: false, outbound: true }, undefined],
  ])('validates the address of a gateway: %s', (_, gateway, wrong) => {
    expect(getErrors({ sip_gateways: [sip(gateway)] })['sip_gateways.0.ipv4']).toBe(wrong)
  })

  test('requires a unique address and port, where an empty port means 5060', () => {
    const twice = { 'sip_gateways.1.ipv4': 'Each SIP gateway must have a unique IP address.' }
    expect(getErrors({ sip_gateways: [sip(), sip({ port: '' })] })).toEqual(twice)
    expect(getErrors({ sip_gateways: [sip(), sip({ port: '5061' })] })).toEqual({})
  })

  test('CARRIERS-38 a gateway is inbound, outbound, or both', () => {
    const neither = sip({ inbound: false, outbound: false })
    expect(getErrors({ sip_gateways: [neither] })).toEqual({
      'sip_gateways.0.inbound': 'Choose inbound, outbound or both',
    })
  })

  test('CARRIERS-39 a port is valid from 0 to 65535', () => {
    for (const port of ['0', '65535', '']) expect(getErrors({ sip_gateways: [sip({ port })] })).toEqual({})
    for (const port of ['65536', '-1', '1.5', 'x'])
      expect(getErrors({ sip_gateways: [sip({ port })] })).toEqual({ 'sip_gateways.0.port': expect.any(String) })
  })

  test('CARRIERS-60 sends port 5060 for an IP address without a port, and null for a domain name without one', () => {
    expect(toSipGatewayPayload(sip({ port: '' })).port).toBe(5060)
    expect(toSipGatewayPayload(sip({ port: '', ipv4: 'sip.example.com' })).port).toBeNull()
  })

  test('sends netmask 32 for an outbound-only gateway and a sips scheme for TLS only', () => {
    const payload = toSipGatewayPayload(sip({ inbound: false, outbound: true, netmask: '24', use_sips_scheme: true }))
    expect(payload).toMatchObject({ netmask: 32, use_sips_scheme: false })
    expect(toSipGatewayPayload(sip({ netmask: '24', use_sips_scheme: true, protocol: 'tls' }))).toMatchObject({
      netmask: 24,
      use_sips_scheme: true,
    })
  })

  test('requires no gateway of a carrier that authenticates', () => {
    expect(getErrors({ sip_gateways: [] })).toEqual({ sip_gateways: 'You must provide at least one SIP Gateway.' })
    const signsIn = { inbound_auth_username: 'them', inbound_auth_password: 'secret' }
    expect(getErrors({ sip_gateways: [], ...signsIn })).toEqual({})
  })
})

describe('SMPP gateways', () => {
  test('CARRIERS-43 a new gateway has port 2775, netmask 32, and both directions, and is neither primary nor TLS', () => {
    expect(toSmppGatewayPayload(newSmppGateway)).toEqual({
      ipv4: '',
      port: 2775,
      netmask: 32,
      is_primary: false,
      inbound: true,
      outbound: true,
      use_tls: false,
    })
    expect(toSmppGatewayPayload(smpp({ port: '' })).port).toBe(2775)
  })

  test.each<[string, Partial<SmppGatewayValues>, string | undefined]>([
    ['an outbound address', {}, undefined],
    ['an outbound name', { ipv4: 'smpp.example.com' }, undefined],
    [
      'an outbound name without subdomain',
      { ipv4: 'example.com' },
      'When using an FQDN, you must use a subdomain (e.g. smpp.example.com).',
    ],
    [
      'no outbound host',
      { ipv4: 'localhost' },
      'Please provide a valid outbound IP address or fully qualified domain name.',
    ],
    [
      'an inbound name',
      { ipv4: 'smpp.example.com', inbound: true, outbound: false },
      'Please provide a valid inbound IP address or fully qualified domain name.',
    ],
    [
      'a name in both directions',
      { ipv4: 'smpp.example.com', inbound: true },
      'A fully qualified domain name may only be used for outbound messages.',
    ],
  ])('CARRIERS-45 a domain name is outbound only and has a subdomain: %s', (_, gateway, wrong) => {
    const smpp_inbound_password = 'secret'
    expect(getErrors({ smpp_inbound_password, smpp_gateways: [smpp(gateway)] })['smpp_gateways.0.ipv4']).toBe(wrong)
  })

  test('CARRIERS-48 CARRIERS-49 requires a unique address and port within each direction', () => {
    const smpp_inbound_password = 'secret'
    const inbound = smpp({ inbound: true, outbound: false })
    expect(getErrors({ smpp_inbound_password, smpp_gateways: [smpp(), inbound] })).toEqual({})
    const twice = [smpp(), inbound, smpp(), { ...inbound }]
    expect(getErrors({ smpp_inbound_password, smpp_gateways: twice })).toEqual({
      'smpp_gateways.2.ipv4': 'Each outbound SMPP gateway must have a unique IP address.',
      'smpp_gateways.3.ipv4': 'Each inbound SMPP gateway must have a unique IP address.',
    })
    const onOtherPorts = twice.map((gateway, index) => ({ ...gateway, port: String(2775 + index) }))
    expect(getErrors({ smpp_inbound_password, smpp_gateways: onOtherPorts })).toEqual({})
  })

  test('CARRIERS-51 whitelisted addresses require an inbound password', () => {
    expect(getErrors({ smpp_gateways: [smpp({ inbound: true, outbound: false })] })).toEqual({
      smpp_inbound_password: expect.any(String),
    })
    expect(getErrors({ smpp_gateways: [smpp()] })).toEqual({})
  })

  test('requires an outbound gateway for outbound credentials', () => {
    const wrong = { smpp_gateways: 'You must provide at least one Outbound Gateway.' }
    expect(getErrors({ smpp_system_id: 'us' })).toEqual(wrong)
    expect(getErrors({ smpp_password: 'secret' })).toEqual(wrong)
    expect(getErrors({ smpp_system_id: 'us', smpp_gateways: [smpp()] })).toEqual({})
  })
})

describe('the saved changes', () => {
  const stored = carrier({
    sip_gateways: [sip({ sip_gateway_sid: 'a' }), sip({ sip_gateway_sid: 'b', ipv4: '10.0.0.2' })],
    smpp_gateways: [smpp({ smpp_gateway_sid: 'c' })],
  })

  test('contain the changed fields of the carrier and the whole of each changed gateway', () => {
    expect(isEmptyChange(toChanges(stored, stored))).toBe(true)
    const [first, second] = stored.sip_gateways as [SipGatewayValues, SipGatewayValues]
    const sip_gateways = [first, { ...second, port: '5061' }, sip({ ipv4: '10.0.0.3' })]
    const changes = toChanges({ ...stored, name: 'Other', sip_gateways }, stored)
    expect(changes.carrier).toEqual({ name: 'Other' })
    expect(toGatewaysPayload(changes)).toMatchObject({
      sip_gateways: [
        { sip_gateway_sid: 'b', ipv4: '10.0.0.2', port: 5061 },
        { ipv4: '10.0.0.3', port: 5060 },
      ],
      smpp_gateways: [],
    })
    expect(toGatewaysPayload(changes).sip_gateways[1]).not.toHaveProperty('sip_gateway_sid')
    // Errors of the server refer to the request, so they are mapped back to the row of the form.
    expect(formField('sip_gateways.1.ipv4', changes)).toBe('sip_gateways.2.ipv4')
    expect(formField('carrier.name', changes)).toBe('name')
  })

  test('ignore the order in which the server returns the gateways', () => {
    const reversed = { ...stored, sip_gateways: stored.sip_gateways.toReversed() }
    expect(orderLike(reversed, stored)).toEqual(stored)
    const more = { ...reversed, sip_gateways: [sip({ sip_gateway_sid: 'new' }), ...reversed.sip_gateways] }
    expect(orderLike(more, stored).sip_gateways.map(({ sip_gateway_sid }) => sip_gateway_sid)).toEqual([
      'a',
      'b',
      'new',
    ])
  })
})
