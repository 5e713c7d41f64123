import type { VendorAddresses } from '../../config/option-types.ts'

/**
 * Returns the URL to call in place of a vendor's own. The Host header still names the vendor's host, so that one
 * gateway can stand in for several. Undefined if the operator has not replaced that host.
 */
export const replacementFor = (vendorAddresses: VendorAddresses, url: URL): URL | undefined => {
  const [, ...parent] = url.hostname.split('.')
  const origin = vendorAddresses[url.hostname] ?? vendorAddresses[`*.${parent.join('.')}`]
  // The path is not resolved against the origin, because a path that starts with two slashes would name another host.
  return origin === undefined
    ? undefined
    : Object.assign(new URL(origin), { pathname: url.pathname, search: url.search })
}
