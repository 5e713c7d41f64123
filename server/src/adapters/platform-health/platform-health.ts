/** Servers of one kind that are registered with the platform. */
export interface RegisteredServers {
  /** Addresses, sorted. At most 200. */
  members: readonly string[]
  /** Number of all servers. */
  count: number
}

/** The call servers that are registered with the platform (docs/reference/platform-api/live-calls.md#redis-keys). */
export interface CallServers {
  sbcs: RegisteredServers
  featureServers: RegisteredServers
  /** Feature servers that finish their calls and accept no new ones. */
  drainedFeatureServers: RegisteredServers
  rtpEngines: RegisteredServers
}

/** The state that the call servers of jambonz share through Redis. All functions throw `unavailable` if Redis fails. */
export interface PlatformHealth {
  /** Sends a command to Redis. Returns its version, or null if this user may not read it. */
  ping(): Promise<string | null>
  callServers(): Promise<CallServers>
  /** Returns the sums of the calls in progress of these accounts. */
  countCalls(account_sids: readonly string[]): Promise<{ inbound: number; outbound: number }>
  /**
   * Returns the SIP gateways among these that the SBCs skip because an OPTIONS ping failed, with the milliseconds until
   * the platform forgets the failure.
   */
  failingGateways(sip_gateway_sids: readonly string[]): Promise<ReadonlyMap<string, number>>
}
