import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { freePort, freeUdpAndTcpPort, freeUdpPort } from './ports.ts'

const pickMany = (count: number) =>
  Promise.all([freePort, freeUdpPort, freeUdpAndTcpPort].flatMap((pick) => Array.from({ length: count }, pick)))

test('no port is returned twice, even if no server has listened on it yet', async () => {
  const ports = await pickMany(100)
  expect(new Set(ports).size).toBe(300)
})

test('processes that run concurrently get different ports', async () => {
  const script = `const { freePort } = await import(${JSON.stringify(join(import.meta.dirname, 'ports.ts'))})
    console.log(JSON.stringify(await Promise.all(Array.from({ length: 150 }, freePort))))`
  const pickInProcess = async (): Promise<number[]> => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
    return JSON.parse(stdout)
  }
  const picked = await Promise.all([pickInProcess(), pickInProcess(), pickInProcess(), pickMany(50)])
  expect(new Set(picked.flat()).size).toBe(600)
})
