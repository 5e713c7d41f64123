// Preloaded into the demo program and the server (`node --import`), so that pictures show the same times and SIDs in
// each run.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { SCREENSHOT_TIME } = process.env
const fixedTime = Date.parse(SCREENSHOT_TIME)

globalThis.Date = class extends Date {
  constructor(...args) {
    super(...(args.length === 0 ? [fixedTime] : args))
  }
  static now() {
    return fixedTime
  }
}

let created = 0
crypto.randomUUID = () => {
  const seed = `${process.argv[1]?.split('/').at(-1)} ${SCREENSHOT_TIME} ${created++}`
  const hash = crypto.createHash('sha256').update(seed).digest('hex')
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`
}
syncBuiltinESMExports()
