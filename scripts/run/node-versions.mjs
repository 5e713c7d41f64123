// Compares versions of Node.js with the safe ones: the range `engines.node` of package.json names the oldest version of
// each release line without known security holes that are reachable in Patchbay. Plain JavaScript without dependencies,
// because ensure-node.mjs uses it on Node 18, before anything is installed. The server uses it for its warning.

const parse = (version) => version.split('.').map(Number)

/** Returns whether a version is the same as or newer than another one. */
export const isAtLeast = (version, other) => {
  const [parts, otherParts] = [parse(version), parse(other)]
  const at = parts.findIndex((part, index) => part !== otherParts[index])
  return at < 0 || parts[at] > otherParts[at]
}

/**
 * Parses a range such as `^24.22.1 || >=26.12.1`, in the syntax of npm. `^` names a single release line, `>=` also all
 * later lines.
 * @param {string} range
 * @returns {{ oldest: string, line: number, isOpen: boolean }[]} in the order of the range
 * @throws Error if the range has another form
 */
export const parseNodeRange = (range) =>
  range.split('||').map((part) => {
    const [, operator, oldest] = /^\s*(\^|>=)(\d+\.\d+\.\d+)\s*$/.exec(part) ?? []
    if (oldest === undefined) throw new Error(`"${part.trim()}" must be ^ or >= with a version of Node, as ^24.22.1`)
    return { oldest, line: parse(oldest)[0], isOpen: operator === '>=' }
  })

/**
 * Returns whether a version is in a range.
 * @param {string} version
 * @param {string} range
 */
export const isSafeNode = (version, range) =>
  parseNodeRange(range).some(
    ({ oldest, line, isOpen }) => isAtLeast(version, oldest) && (isOpen || parse(version)[0] === line),
  )

/**
 * Returns whether the program runs on a version, safe or not: on the oldest line of the range and all later lines.
 * @param {string} version
 * @param {string} range
 */
export const canRunOn = (version, range) =>
  parse(version)[0] >= Math.min(...parseNodeRange(range).map(({ line }) => line))

/**
 * Describes a range in a sentence, as "24.22.1 or a later 24, or 26.12.1 or later".
 * @param {string} range
 */
export const describeNodeRange = (range) =>
  parseNodeRange(range)
    .map(({ oldest, line, isOpen }) => (isOpen ? `${oldest} or later` : `${oldest} or a later ${line}`))
    .join(', or ')
