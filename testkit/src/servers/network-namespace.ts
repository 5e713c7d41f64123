import { type ChildProcess, execFileSync, type SpawnOptions, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { endWithUs } from './spawn-server.ts'

/** A network of its own for programs of the platform, as if they ran on another machine. Needs root on Linux. */

export interface NetworkNamespace {
  /** Addresses of this machine in the network between both. */
  ownAddress: { ipv4: string; ipv6: string }
  /** Addresses of the programs in the namespace. */
  address: { ipv4: string; ipv6: string }
  /** Starts a program in the namespace. */
  spawn(program: string, args: readonly string[], options?: SpawnOptions): ChildProcess
  /** Removes the namespace with its interfaces. The programs have to be stopped before. */
  remove(): void
}

const ip = (command: string): string => execFileSync('ip', command.split(' '), { encoding: 'utf8' })

/** Creates a namespace that is connected to this machine by a pair of virtual interfaces. */
export const createNetworkNamespace = (): NetworkNamespace => {
  const id = randomInt(0x1000, 0xffff)
  const name = `patchbay-${id.toString(16)}`
  const link = `pb-${id.toString(16)}`
  // A private network that is unlikely to exist: 10.231 and a random byte, and a random unique local one.
  const network4 = `10.231.${randomInt(1, 255)}`
  const network6 = `fd70:6174:${id.toString(16)}:`
  const ownAddress = { ipv4: `${network4}.1`, ipv6: `${network6}:1` }
  const address = { ipv4: `${network4}.2`, ipv6: `${network6}:2` }
  ip(`netns add ${name}`)
  const remove = () => {
    // The other end of the pair disappears with it, also while a program still uses the namespace.
    if (ip('-o link show').includes(`${link}@`)) ip(`link del ${link}`)
    ip(`netns del ${name}`)
  }
  try {
    ip(`link add ${link} type veth peer name eth0 netns ${name}`)
    ip(`addr add ${ownAddress.ipv4}/30 dev ${link}`)
    ip(`-6 addr add ${ownAddress.ipv6}/64 dev ${link} nodad`)
    ip(`link set ${link} up`)
    ip(`-n ${name} addr add ${address.ipv4}/30 dev eth0`)
    ip(`-n ${name} -6 addr add ${address.ipv6}/64 dev eth0 nodad`)
    ip(`-n ${name} link set eth0 up`)
    ip(`-n ${name} link set lo up`)
  } catch (error) {
    remove()
    throw error
  }
  return {
    ownAddress,
    address,
    spawn(program, args, options = {}) {
      // In a process namespace of its own, the processes that the program has forked end with it, even after SIGKILL.
      const command = ['netns', 'exec', name, 'unshare', '--pid', '--fork', '--kill-child', program, ...args]
      const child = spawn('ip', command, options)
      endWithUs(child)
      return child
    },
    remove,
  }
}
