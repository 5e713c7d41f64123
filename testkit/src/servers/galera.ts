import { existsSync } from 'node:fs'
import { type MariaDb, startMariaDb } from './mariadb.ts'
import { freePort } from './ports.ts'

/** A Galera cluster of MariaDB nodes on 127.0.0.1. All nodes accept writes, and each has all data. */

export interface GaleraCluster {
  readonly nodes: readonly MariaDb[]
  /** Starts a node that was killed. It gets the data that it missed from another node. */
  rejoin(position: number): Promise<void>
  stop(): Promise<void>
}

/** Debian's package galera-4, which mariadb-server depends on, and the packages of other distributions. */
const providers = [
  '/usr/lib/galera/libgalera_smm.so',
  '/usr/lib64/galera-4/libgalera_smm.so',
  '/usr/lib64/galera/libgalera_smm.so',
]

const findProvider = (): string => {
  const provider = providers.find((path) => existsSync(path))
  if (provider === undefined) throw new Error(`Galera was not found: ${providers.join(', ')}`)
  return provider
}

// Each server of a test registers listeners that end it with the tests, and clusters have many servers.
process.setMaxListeners(50)

/** Starts the nodes one after another. Each new node copies the data of the first one with rsync. */
export const startGalera = async (count: number): Promise<GaleraCluster> => {
  const provider = findProvider()
  const groupPorts = await Promise.all(Array.from({ length: count }, freePort))
  const members = groupPorts.map((port) => `127.0.0.1:${port}`).join()
  const toOptions = async (position: number): Promise<string[]> => {
    const incremental = await freePort()
    return [
      '--wsrep-on=ON',
      `--wsrep-provider=${provider}`,
      '--wsrep-cluster-name=patchbay',
      `--wsrep-cluster-address=gcomm://${members}`,
      `--wsrep-node-name=node${position + 1}`,
      `--wsrep-node-address=127.0.0.1:${groupPorts[position]}`,
      '--wsrep-sst-method=rsync',
      `--wsrep-sst-receive-address=127.0.0.1:${await freePort()}`,
      `--wsrep-provider-options=gmcast.listen_addr=tcp://127.0.0.1:${groupPorts[position]};ist.recv_addr=127.0.0.1:${incremental}`,
      '--binlog-format=ROW',
      '--innodb-autoinc-lock-mode=2',
      // Reads wait until the node has applied all writes of the other nodes.
      '--wsrep-sync-wait=1',
    ]
  }
  // rsync gives up its rights if root runs it, so the nodes run with MariaDB's own account.
  const start = (options: readonly string[]) => startMariaDb(options, 'mysql')
  const nodes: MariaDb[] = []
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  try {
    nodes.push(await start([...(await toOptions(0)), '--wsrep-new-cluster']))
    for (let position = 1; position < count; position += 1) nodes.push(await start(await toOptions(position)))
  } catch (error) {
    await stop()
    throw error
  }
  return {
    nodes,
    async rejoin(position) {
      await nodes[position]?.restart(await toOptions(position))
    },
    stop,
  }
}
