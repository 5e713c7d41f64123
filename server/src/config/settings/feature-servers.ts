import { z } from 'zod'
import { InvalidConfigurationError } from '../invalid-configuration.ts'
import { port, positive, type Values } from './schemas.ts'

/**
 * The settings of the feature servers of jambonz, which run the calls
 * (docs/reference/platform-api/live-calls.md#feature-servers), and of its SBCs.
 */

export const featureServerVariables = {
  JAMBONES_CLUSTER_ID: z.string().default('default'),
  OPTIONS_PING_TTL: positive.default(300),
  K8S: z.string().default(''),
  K8S_FEATURE_SERVER_SERVICE_NAME: z
    .string()
    .regex(/^[\w.-]+$/, { error: 'must be a host' })
    .optional(),
  K8S_FEATURE_SERVER_SERVICE_PORT: port.default(3000),
  JAMBONES_API_VERSION: z
    .string()
    .regex(/^[\w.-]+$/, { error: 'must be a part of a path such as v1' })
    .default('v1'),
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
