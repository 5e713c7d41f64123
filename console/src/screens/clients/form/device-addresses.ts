import type { SbcAddress } from '@patchbay/contract/platform-addresses'

/** Returns the proxy addresses that a device can use, one for each transport of each SBC. */
export const deviceAddresses = (sbcs: readonly SbcAddress[]): { transport: string; address: string }[] =>
  sbcs.flatMap(({ ipv4, port, tls_port, wss_port }) => [
    { transport: 'UDP or TCP', address: `${ipv4}:${port}` },
    ...(tls_port ? [{ transport: 'TLS', address: `${ipv4}:${tls_port}` }] : []),
    ...(wss_port ? [{ transport: 'WebSocket (WSS)', address: `wss://${ipv4}:${wss_port}` }] : []),
  ])
