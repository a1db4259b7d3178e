/** The tools of the media library, in Strapi's order. */
import type { AdminServices } from "../../../admin/services.ts";
import type { McpTool } from "../tool.ts";
import { assetTools } from "./assets.ts";
import { folderTools, listFoldersTool } from "./folders.ts";

const READING = 2;

export function mediaTools(services: AdminServices): McpTool[] {
  const assets = assetTools(services);
  return [...assets.slice(0, READING), listFoldersTool(services), ...assets.slice(READING), ...folderTools(services)];
}
