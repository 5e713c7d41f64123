import { parseIpAddress } from '../../networks/ip-address.ts'
import { unescapeQuoted } from '../scan.ts'
import type { Pseudonyms } from './pseudonyms.ts'

/** Masks the parameters of URIs and headers. Parameters that are not listed here are left out. Pure. */

type MaskParameter = (value: string, pseudonyms: Pseudonyms) => string | undefined

const parameter = /;[ \t]*([\w.!%*+`'~-]{1,64})(?:[ \t]*=[ \t]*("(?:[^"\\]|\\.)*"|[^;"]*))?/g

const matching =
  (pattern: RegExp): MaskParameter =>
  (value) =>
    pattern.test(value) ? value : undefined

/** Words of the grammar, such as `udp` and `full`. */
const keyword = matching(/^"?[a-z][a-z+-]{0,30}"?$/i)
const smallNumber = matching(/^\d{1,7}$/)
const decimal = matching(/^\d(?:\.\d{1,3}){0,8}$/)

/** Values that a program has chosen, of which others copy the spelling. */
const identifier: MaskParameter = (value, { maskIdentifier }) =>
  /^[\w.!%*+`'~@:[\]-]{1,255}$/.test(value) ? maskIdentifier(value) : undefined

const host: MaskParameter = (value, { maskHost }) => {
  const isBare = value.includes(':') && !value.startsWith('[') && parseIpAddress(value) !== undefined
  return isBare ? maskHost(`[${value}]`)?.replace(/^\[|\]$/g, '') : maskHost(value)
}

const number: MaskParameter = (value, { maskUser }) => (/^[+\d().-]{1,40}$/.test(value) ? maskUser(value) : undefined)

const text: MaskParameter = (value, { maskText }) => {
  const content = value.startsWith('"') ? unescapeQuoted(value.slice(1, -1)) : value
  return `"${maskText(content).replace(/["\\]/g, String.raw`\$&`)}"`
}

const parameters: Readonly<Record<string, MaskParameter>> = {
  branch: identifier,
  cause: smallNumber,
  counter: smallNumber,
  duration: smallNumber,
  expires: smallNumber,
  'from-tag': identifier,
  ftag: identifier,
  id: identifier,
  index: decimal,
  limit: smallNumber,
  lr: keyword,
  maddr: host,
  method: keyword,
  'phone-context': (value, pseudonyms) => number(value, pseudonyms) ?? host(value, pseudonyms),
  party: keyword,
  privacy: keyword,
  protocol: keyword,
  q: decimal,
  r2: keyword,
  reason: (value, pseudonyms) => keyword(value, pseudonyms) ?? text(value, pseudonyms),
  received: host,
  refresher: keyword,
  'reg-id': smallNumber,
  rn: number,
  rport: smallNumber,
  screen: keyword,
  tag: identifier,
  text,
  'to-tag': identifier,
  transport: keyword,
  ttl: smallNumber,
  user: keyword,
  verstat: keyword,
}

/** Parameters that need no value. */
const flags = new Set(['lr', 'ob', 'rport', 'npdi', 'early-only', 'r2', 'keep'])

/** Masks the parameters `;name=value`. */
export const maskParameters = (list: string, pseudonyms: Pseudonyms): string =>
  [...list.matchAll(parameter)]
    .map(([, name = '', value]) => {
      const key = name.toLowerCase()
      if (value === undefined) return flags.has(key) ? `;${name}` : ''
      const masked = Object.hasOwn(parameters, key) ? parameters[key]?.(value.trim(), pseudonyms) : undefined
      return masked === undefined ? '' : `;${name}=${masked}`
    })
    .join('')
