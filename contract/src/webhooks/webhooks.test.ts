import { expect, test } from 'vitest'
import { copiesCallUrl, isWebhookUrl, isWebsocketUrl } from './webhooks.ts'

test('accepts absolute http and websocket URLs as webhooks', () => {
  for (const url of ['http://a', 'https://a.b/c?d', 'ws://a', 'wss://a:1']) expect(isWebhookUrl(url)).toBe(true)
  for (const url of ['', 'a.b/c', '/x', 'ftp://a', 'javascript:alert(1)']) expect(isWebhookUrl(url)).toBe(false)
  expect(isWebsocketUrl('wss://a')).toBe(true)
  expect(isWebsocketUrl('https://a')).toBe(false)
})

test.each<[string, string, string | undefined, boolean]>([
  ['https://a', '', undefined, true],
  ['https://ab', 'https://a', 'https://a', true],
  ['https://ab', 'https://a', undefined, false],
  ['wss://ab', 'ws://b', undefined, true],
  ['https://ab', 'ws://b', undefined, false],
  ['wss://ab', 'https://b', undefined, false],
])(
  'with %s typed as the calling webhook the status webhook %s, copied %s, goes along: %s',
  (typed, status, copied, goes) => {
    expect(copiesCallUrl(typed, status, copied)).toBe(goes)
  },
)
