import { type Profiler, Session } from 'node:inspector'

/** Tells inputs that run new code from others, by the block coverage of V8. */

export interface Coverage {
  /** Returns whether code has run since the last call that had never run before, and remembers it. */
  hasNewCode(): boolean
  /** Like `hasNewCode`, but does not remember it. */
  wouldHaveNewCode(): boolean
  /** Characters of functions that have run, and of all functions, in the files whose URL matches. */
  count(files: RegExp): { covered: number; total: number }
}

interface ScriptCoverage {
  /** For each character, whether it has run, and whether it is a part of a function. */
  covered: Uint8Array
  isInFunction: Uint8Array
}

type CoverageOfScript = Profiler.ScriptCoverage

const getEnd = ({ functions }: CoverageOfScript): number =>
  functions.reduce((end, { ranges }) => Math.max(end, ranges[0]?.endOffset ?? 0), 0)

/** A module is the function that contains its whole source. */
const isModule = ({ functionName, ranges }: Profiler.FunctionCoverage): boolean =>
  functionName === '' && ranges[0]?.startOffset === 0

const grow = (bytes: Uint8Array, length: number): Uint8Array => {
  if (bytes.length >= length) return bytes
  const longer = new Uint8Array(length)
  longer.set(bytes)
  return longer
}

/** Returns the characters that ran: inner ranges follow the outer ones, and are more exact. */
const paintRun = ({ functions }: CoverageOfScript, end: number): Uint8Array => {
  const run = new Uint8Array(end)
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count } of ranges) run.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  return run
}

/** A loop, because `some` takes several times as long, and this runs for each batch. */
const hasMore = (run: Uint8Array, covered: Uint8Array): boolean => {
  for (let at = 0; at < run.length; at += 1) if (run[at] === 1 && covered[at] !== 1) return true
  return false
}

/** @param isMeasured whether a file with this URL counts */
export const startCoverage = (isMeasured: (url: string) => boolean): Coverage => {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  const scripts = new Map<string, ScriptCoverage>()

  const take = (): CoverageOfScript[] => {
    let scriptsSinceLast: CoverageOfScript[] = []
    // The callback runs before the function returns.
    session.post('Profiler.takePreciseCoverage', (error, result) => {
      if (error !== null) throw error
      scriptsSinceLast = result.result.filter(({ url }) => isMeasured(url))
    })
    return scriptsSinceLast
  }

  /** Returns whether the script ran new code. */
  const compare = (script: CoverageOfScript, isRemembered: boolean): boolean => {
    const end = getEnd(script)
    const knownScript = scripts.get(script.url) ?? { covered: new Uint8Array(end), isInFunction: new Uint8Array(end) }
    const run = paintRun(script, end)
    const isNew = hasMore(run, knownScript.covered)
    if (!isRemembered) return isNew
    const covered = grow(knownScript.covered, end)
    const isInFunction = grow(knownScript.isInFunction, end)
    if (isNew) for (const [at, hasRun] of run.entries()) if (hasRun === 1) covered[at] = 1
    for (const one of script.functions)
      if (!isModule(one)) isInFunction.fill(1, one.ranges[0]?.startOffset, one.ranges[0]?.endOffset)
    scripts.set(script.url, { covered, isInFunction })
    return isNew
  }

  return {
    hasNewCode: () => take().reduce((isNew, script) => compare(script, true) || isNew, false),
    wouldHaveNewCode: () => take().some((script) => compare(script, false)),
    count(files) {
      const counts = { covered: 0, total: 0 }
      for (const [url, { covered, isInFunction }] of scripts)
        for (const [at, isPart] of isInFunction.entries()) {
          if (isPart === 0 || !files.test(url)) continue
          counts.total += 1
          counts.covered += covered[at] ?? 0
        }
      return counts
    },
  }
}
