import { z } from 'zod'
import { InvalidConfigurationError } from '../invalid-configuration.ts'
import { port, positive, type Values } from './schemas.ts'

/**
 * The settings of the feature servers of jambonz, which run the calls
 * (docs/reference/platform-api/live-calls.md#feature-servers), and of its SBCs.
 */

export const featureServerVariables = {
  JAMBONES_CLUSTER_ID: z
    .string()
    .default('default')
    .describe(
      'Name of the set of active feature servers in Redis, `{id}:fs-service-url`. Patchbay uses them ' +
        'one after the other to create calls',
    ),
  OPTIONS_PING_TTL: positive
    .default(300)
    .describe(
      'Seconds for which the SBCs store that an OPTIONS ping failed. Set it to the value of the SBCs: ' +
        'the start of a failure is derived from it',
    ),
  K8S: z
    .string()
    .default('')
    .describe(
      'Any value: all feature servers have one address, which the next two settings name, and the set is not used',
    ),
  K8S_FEATURE_SERVER_SERVICE_NAME: z
    .string()
    .regex(/^[\w.-]+$/, { error: 'must be a host' })
    .optional()
    .describe('Host of that address. Required with `K8S`'),
  K8S_FEATURE_SERVER_SERVICE_PORT: port.default(3000).describe('Port of that address'),
  JAMBONES_API_VERSION: z
    .string()
    .regex(/^[\w.-]+$/, { error: 'must be a part of a path such as v1' })
    .default('v1')
    .describe("Version in the paths of the feature servers' API"),
}

export const getFeatureServerSettings = (env: Values<typeof featureServerVariables>) => {
  const { K8S_FEATURE_SERVER_SERVICE_NAME: name, K8S_FEATURE_SERVER_SERVICE_PORT: at } = env
  if (env.K8S !== '' && name === undefined)
    throw new InvalidConfigurationError('K8S_FEATURE_SERVER_SERVICE_NAME must be set together with K8S.')
  return {
    featureServers: {
      /** Cluster name, the prefix of the Redis set that lists the active feature servers. */
      cluster: env.JAMBONES_CLUSTER_ID,
      /** Single address of all feature servers, used instead of the set. Null if there is none. */
      service: env.K8S === '' ? null : `http://${name}:${at}`,
      /** Version in the paths of the feature servers' API. */
      version: env.JAMBONES_API_VERSION,
    },
    /** Seconds for which the SBCs store that an OPTIONS ping of a gateway failed. */
    pingTtlSeconds: env.OPTIONS_PING_TTL,
  }
}
