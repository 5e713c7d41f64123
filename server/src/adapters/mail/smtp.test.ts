import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { startMailServer } from '@patchbay/testkit/fakes/mail-server'
import { type Behavior, startHostilePeer } from '@patchbay/testkit/peers/hostile-peer'
import { expect, test } from 'vitest'
import { MailRejectedError } from './mail.ts'
import { createSmtpMail } from './smtp.ts'

const mail = { to: 'ada@example.org', subject: 'a', summary: 'b', reason: 'c' }

/** An SMTP server sends the first line, so these behaviors do not wait for a request. */
const responses: Readonly<Record<string, Behavior>> = {
  'a greeting without an end': async (socket) => {
    while (!socket.destroyed)
      if (!socket.write('220-x'.repeat(10_000))) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  },
  'a greeting of many lines, without an end': async (socket) => {
    while (!socket.destroyed)
      if (!socket.write('220-x\r\n'.repeat(10_000))) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  },
  'one byte of a greeting at a time': async (socket) => {
    while (!socket.destroyed) {
      socket.write('2')
      await pause(20)
    }
  },
  'no greeting': async (socket) => {
    await once(socket, 'close')
  },
}

test.each(Object.entries(responses))(
  'fails quickly and closes the connection for a mail server that sends %s',
  async (_, behavior) => {
    const peer = await startHostilePeer(() => behavior, { speaksFirst: true })
    const sender = createSmtpMail({ url: peer.origin.replace('http', 'smtp'), from: 'patchbay@example.org' }, null, 400)
    await expect(sender.send(mail)).rejects.toBeInstanceOf(Error)
    await peer.untilAbandoned()
    expect(peer.bytesTaken()).toBeLessThan(16 * 2 ** 20)
    await peer.stop()
  },
)

test('sends text and HTML, and a subject without line breaks', async () => {
  const server = await startMailServer()
  const sender = createSmtpMail({ url: server.url, from: 'patchbay@example.org' }, 'https://console.example.org')
  await sender.send({
    ...mail,
    subject: 'Alert: x\r\nBcc: eve@example.org',
    summary: 'Überlast: <b>503</b>',
    unsubscribePath: '/alert-mails/stop/1',
  })
  const { to, text, html } = await server.next()
  await server.stop()
  expect(to).toEqual(['ada@example.org'])
  expect(text).toContain('Subject: Alert: x Bcc: eve@example.org\r\n')
  expect(text).toContain('List-Unsubscribe: <https://console.example.org/alert-mails/stop/1>')
  expect(text).toContain('multipart/alternative')
  expect(text).toContain('\r\n\r\nÜberlast: <b>503</b>\r\n')
  expect(html).toContain('Überlast: &lt;b&gt;503&lt;/b&gt;')
})

test('distinguishes permanent rejections of recipients and emails from deferrals', async () => {
  const server = await startMailServer()
  const sender = createSmtpMail({ url: server.url, from: 'patchbay@example.org' }, null)
  server.rejectRecipient = () => ({ responseCode: 550, message: 'No such user' })
  await expect(sender.send(mail)).rejects.toBeInstanceOf(MailRejectedError)
  server.rejectRecipient = () => ({ responseCode: 451, message: 'Greylisted' })
  await expect(sender.send(mail)).rejects.not.toBeInstanceOf(MailRejectedError)
  server.rejectRecipient = undefined
  const summary = 'x'.repeat(11_000_000)
  await expect(sender.send({ ...mail, summary })).rejects.toBeInstanceOf(MailRejectedError)
  await server.stop()
})

test('sends no password to a server without TLS, also on the same host', async () => {
  const server = await startMailServer()
  const url = server.url.replace('smtp://', 'smtp://patchbay:mail-password@')
  await createSmtpMail({ url, from: 'patchbay@example.org' }, null).send(mail)
  expect([server.received.length, server.signIns()]).toEqual([1, 0])
  await server.stop()
})
