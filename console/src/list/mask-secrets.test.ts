import { expect, test } from 'vitest'
import { maskSecrets } from './mask-secrets.ts'

test('an exported row shows the last four characters of a token, and no character of a password', () => {
  const row = { name: 'c', register_password: 'hunter2-hunter2', hooks: [{ password: 'abcdefgh' }], token: '12345678' }
  expect(maskSecrets(row)).toEqual({
    name: 'c',
    register_password: 'XXXXXXXX',
    hooks: [{ password: 'XXXXXXXX' }],
    token: '****5678',
  })
})

test('an exported alert destination shows the host of a webhook, whose path is a secret', () => {
  expect(maskSecrets({ kind: 'slack', target: 'https://hooks.slack.com/services/T0/B0/x' })).toEqual({
    kind: 'slack',
    target: 'https://hooks.slack.com/********',
  })
})
