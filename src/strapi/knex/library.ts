/** Imports only Knex's query builder, without the drivers of other databases. */
import type { Knex } from "knex";

export const Dialect = require("knex/lib/dialects/sqlite3") as { new (config: object): object };
export const makeKnex = require("knex/lib/knex-builder/make-knex") as (client: object) => Knex;
