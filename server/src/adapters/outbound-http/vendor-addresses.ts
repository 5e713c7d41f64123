import type { VendorAddresses } from '../../config/option-types.ts'

/**
 * Returns the URL that replaces a vendor's own, or undefined if the operator has not replaced that host. The Host
 * header still contains the vendor's host, so that one gateway can serve several vendors.
 */
export const replacementFor = (vendorAddresses: VendorAddresses, url: URL): URL | undefined => {
  const [, ...parent] = url.hostname.split('.')
  const origin = vendorAddresses[url.hostname] ?? vendorAddresses[`*.${parent.join('.')}`]
  // The path is not resolved against the origin, because a path that starts with two slashes would name another host.
  return origin === undefined
    ? undefined
    : Object.assign(new URL(origin), { pathname: url.pathname, search: url.search })
}
