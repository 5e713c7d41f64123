import { expect, test } from 'vitest'
import type { MailMessage } from './mail.ts'
import { renderHtml } from './render-html.ts'
import { renderText } from './render-text.ts'

const publicUrl = 'https://console.example.org/a'
const message: MailMessage = {
  to: 'ada@example.org',
  subject: 'Reset password request',
  summary: 'Set a new password.',
  action: { label: 'Set a new password', path: '/reset-password/1' },
  notes: ['If you did not request this, ignore this email.'],
  reason: 'You receive this email because someone requested it.',
  unsubscribePath: '/alert-mails/stop/2',
}

test('renders the full address, the reason, and the sender as text', () => {
  expect(renderText(message, publicUrl)).toBe(`Set a new password.

Set a new password:
https://console.example.org/a/reset-password/1

If you did not request this, ignore this email.

--${' '}
You receive this email because someone requested it.
Unsubscribe:
https://console.example.org/a/alert-mails/stop/2
Patchbay at https://console.example.org/a
`)
})

test('renders one button, the language, and both color schemes as HTML, and loads nothing', () => {
  const rendered = renderHtml(message, publicUrl)
  expect([...rendered.matchAll(/href="([^"]+)"/g)].map(([, url]) => url)).toEqual([
    `${publicUrl}/reset-password/1`,
    `${publicUrl}/alert-mails/stop/2`,
    publicUrl,
  ])
  expect(rendered).toContain('<html lang="en">')
  expect(rendered).toContain('<meta name="color-scheme" content="light dark">')
  expect(rendered).toContain(message.reason)
  expect(rendered).not.toMatch(/<img|src=|url\(|@import|<link/)
})

test('gives paths instead of links if the address of the console is not configured', () => {
  const text = renderText(message, null)
  expect(text).toContain('Set a new password: open this page of your Patchbay:\n/reset-password/1')
  const rendered = renderHtml(message, null)
  expect(rendered).toContain('/reset-password/1</span>')
  expect(rendered).not.toContain('href')
})

test('escapes every value in HTML', () => {
  const hostile = `</td><script>alert("1")</script>' onload='x`
  const rendered = renderHtml(
    {
      to: hostile,
      subject: hostile,
      summary: hostile,
      code: hostile,
      sections: [
        {
          title: hostile,
          values: [{ label: hostile, value: hostile }],
          link: { label: hostile, path: `/internal/alerts?type=${encodeURIComponent(hostile)}` },
        },
      ],
      action: { label: hostile, path: hostile },
      notes: [hostile],
      reason: hostile,
      unsubscribePath: hostile,
    },
    publicUrl,
  )
  expect(rendered).not.toContain('<script')
  expect(rendered).not.toContain(`' onload`)
  expect(rendered.match(/&lt;script&gt;/g)?.length).toBeGreaterThan(10)
})

test('shortens long values in HTML, and keeps them in text', () => {
  const summary = '😀'.repeat(50_000)
  expect(renderHtml({ ...message, summary }, publicUrl).length).toBeLessThan(16_000)
  expect(renderText({ ...message, summary }, publicUrl)).toContain(summary)
})

test('keeps line breaks of values, and removes other control characters from HTML', () => {
  const rendered = renderHtml({ ...message, summary: 'one\r\ntwo\u0000\u001b[31mthree' }, publicUrl)
  expect(rendered).toContain('one<br>two [31mthree')
})
