import { createDelivery } from '../capture/delivery.ts'
import type { DeliveryPlatform } from '../capture/delivery.ts'
import type { OutboxPorts } from '../capture/outbox.ts'

/** For platforms that have the delivery in the same file as the core. */
export const deliverWith =
  (platform: DeliveryPlatform): OutboxPorts['loadDelivery'] =>
  () =>
  (options, ports) =>
    createDelivery(options, ports, platform)
