import { describe, expect, test } from 'vitest'
import { type CarrierValues, emptyCarrier } from '../form/carrier-form.ts'
import { newSipGateway } from '../form/gateways.ts'
import { createTemplateSchema, findPlaceholders, getPlaceholder, withoutPlaceholders } from './template-values.ts'

const carrier = (values: Partial<CarrierValues>, ...hosts: string[]): CarrierValues => ({
  ...emptyCarrier,
  name: 'Twilio',
  ...values,
  sip_gateways: hosts.map((ipv4) => ({ ...newSipGateway, ipv4, outbound: true, inbound: false })),
})

describe('placeholders of a template', () => {
  test('are found in credentials, prefixes, and addresses', () => {
    const values = carrier({ register_username: '<your-name>', tech_prefix: 'your-prefix' }, 'a.org', '<your-x>.b.org')
    expect(findPlaceholders(values)).toEqual({ fields: new Set(['register_username', 'tech_prefix']), gateways: [1] })
    expect(getPlaceholder('<your-x>.b.org')).toBe('<your-x>')
  })

  test('are not found in a carrier that works', () => {
    const values = carrier({ register_username: 'your', tech_prefix: '1your-' }, 'your-host.org')
    expect(findPlaceholders(values)).toBeUndefined()
  })

  test('are empty in the form together with their passwords, and required, except for the diversion', () => {
    const masked = { register_password: '****word', inbound_auth_password: '****kept' }
    const values = carrier({ ...masked, register_username: '<your-name>', diversion: '<your-DID>' }, 'a.org')
    const placeholders = findPlaceholders(values)
    if (placeholders === undefined) throw new Error('there are placeholders')
    const start = withoutPlaceholders(values, placeholders)
    expect(start).toMatchObject({ register_username: '', register_password: '', diversion: '' })
    expect(start.inbound_auth_password).toBe('****kept')
    const schema = createTemplateSchema(placeholders)
    const check = (more: Partial<CarrierValues>) =>
      schema
        .safeParse({ ...start, inbound_auth_username: 'in', ...more })
        .error?.issues.map(({ path }) => path.join('.'))
    expect(check({})).toEqual(['register_username'])
    expect(check({ register_username: 'me' })).toEqual(['register_password'])
    expect(check({ register_username: 'me', register_password: 'secret' })).toBeUndefined()
  })
})
