import { expect, test } from 'vitest'
import { decodeFile } from './decode-file.ts'

const text = 'number,account\r\n+15083084808,Alder Dental Zürich 😀\r\n'
const utf16 = (order: 'le' | 'be', withMark: boolean) => {
  const bytes = Buffer.from((withMark ? '\ufeff' : '') + text, 'utf16le')
  return new Uint8Array(order === 'le' ? bytes : bytes.swap16())
}

test.each<[string, Uint8Array]>([
  ['UTF-8', new TextEncoder().encode(text)],
  ['UTF-8 with a mark', new TextEncoder().encode(`\ufeff${text}`)],
  ['UTF-16 LE with a mark', utf16('le', true)],
  ['UTF-16 BE with a mark', utf16('be', true)],
  ['UTF-16 LE without a mark', utf16('le', false)],
  ['UTF-16 BE without a mark', utf16('be', false)],
])('decodes %s', (_encoding, bytes) => {
  expect(decodeFile(bytes)).toEqual({ text })
})

test('reads a text with a stray zero byte in its own encoding', () => {
  expect(decodeFile(new TextEncoder().encode('number,account\n1,Zürich\0\n'))).toEqual({
    text: 'number,account\n1,Zürich\n',
  })
})

test('reads other bytes as Windows-1252 and says so', () => {
  expect(decodeFile(Uint8Array.from(Buffer.from('Z\u00fcrich \u0080', 'latin1')))).toEqual({
    text: 'Zürich €',
    note: expect.stringContaining('was read as Windows-1252'),
  })
})

test.each([[[0x50, 0x4b, 0x03, 0x04, 0x14]], [[0xd0, 0xcf, 0x11, 0xe0, 0xa1]]])(
  'says that a workbook is no text',
  (bytes) => {
    expect(decodeFile(Uint8Array.from(bytes)).why).toMatch(/Save it as “CSV UTF-8”/)
  },
)
