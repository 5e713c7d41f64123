import { type Behavior, startHostilePeer } from '@patchbay/testkit/hostile-peer'
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSmtpMail } from './smtp.ts'

const mail = { to: 'ada@example.org', subject: 'a', text: 'b' }

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
    const sender = createSmtpMail({ url: peer.origin.replace('http', 'smtp'), from: 'patchbay@example.org' }, 400)
    await expect(sender.send(mail)).rejects.toBeInstanceOf(Error)
    await peer.untilAbandoned()
    expect(peer.bytesTaken()).toBeLessThan(16 * 2 ** 20)
    await peer.stop()
  },
)
