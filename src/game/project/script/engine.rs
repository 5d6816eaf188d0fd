//! The classes of the engine: those of nodes, with the types of properties that games often
//! synchronize, and all others.
//!
//! A script that extends another class extends a script that is missing, or a class of an extension.
//! Then its list of methods is not certain. A script that extends a class without nodes has no remote
//! methods, because the engine calls only methods of nodes.

use super::has_word;
use crate::value::Kind;

/// Whether the engine has a class of nodes with this name. C# spells some of them in another case.
pub(crate) fn is_node_class(name: &str) -> bool {
    name.eq_ignore_ascii_case("Node") || base(name).is_some()
}

/// The kind of a property of a class of nodes, or of one that it inherits; none if it is not known.
pub(crate) fn kind_of_property(class: &str, property: &str) -> Option<Kind> {
    core::iter::successors(Some(class), |class| base(class)).find_map(|class| {
        let found = PROPERTIES
            .iter()
            .find(|(_, classes, names)| has_word(names, property) && has_word(classes, class));
        found.map(|(kind, ..)| *kind)
    })
}

/// The class that a class of nodes inherits directly.
fn base(name: &str) -> Option<&'static str> {
    let is_in = |classes: &str| {
        classes.split_ascii_whitespace().any(|class| class.eq_ignore_ascii_case(name))
    };
    NODE_CLASSES.iter().find(|(_, classes)| is_in(classes)).map(|(base, _)| *base)
}

/// The classes of Godot 4.0 to 4.6, with few of those that only the editor has, by the class that
/// they inherit.
const NODE_CLASSES: &[(&str, &str)] = &[
    (
        "Node",
        "AnimationMixer AudioStreamPlayer CanvasItem CanvasLayer EditorPlugin HTTPRequest \
         InstancePlaceholder MissingNode MultiplayerSpawner MultiplayerSynchronizer \
         NavigationAgent2D NavigationAgent3D Node3D ResourcePreloader ShaderGlobalsOverride \
         StatusIndicator Timer Viewport WorldEnvironment",
    ),
    ("AnimationMixer", "AnimationPlayer AnimationTree"),
    ("CanvasItem", "Control Node2D"),
    ("CanvasLayer", "ParallaxBackground"),
    (
        "Node3D",
        "AudioListener3D AudioStreamPlayer3D BoneAttachment3D Camera3D CollisionObject3D \
         CollisionPolygon3D CollisionShape3D GridMap ImporterMeshInstance3D Joint3D \
         LightmapProbe Marker3D NavigationLink3D NavigationObstacle3D NavigationRegion3D \
         OpenXRCompositionLayer OpenXRHand OpenXRRenderModel OpenXRRenderModelManager Path3D \
         PathFollow3D RayCast3D RemoteTransform3D ShapeCast3D Skeleton3D SkeletonModifier3D \
         SpringArm3D SpringBoneCollision3D VehicleWheel3D VisualInstance3D XRFaceModifier3D \
         XRNode3D XROrigin3D",
    ),
    ("Viewport", "SubViewport Window"),
    (
        "Control",
        "BaseButton ColorRect Container GraphEdit ItemList Label LineEdit MenuBar NinePatchRect \
         Panel Range ReferenceRect RichTextLabel Separator TabBar TextEdit TextureRect Tree \
         VideoStreamPlayer VirtualJoystick",
    ),
    (
        "Node2D",
        "AnimatedSprite2D AudioListener2D AudioStreamPlayer2D BackBufferCopy Bone2D Camera2D \
         CanvasGroup CanvasModulate CollisionObject2D CollisionPolygon2D CollisionShape2D \
         CPUParticles2D GPUParticles2D Joint2D Light2D LightOccluder2D Line2D Marker2D \
         MeshInstance2D MultiMeshInstance2D NavigationLink2D NavigationObstacle2D \
         NavigationRegion2D Parallax2D ParallaxLayer Path2D PathFollow2D Polygon2D RayCast2D \
         RemoteTransform2D ShapeCast2D Skeleton2D Sprite2D TileMap TileMapLayer \
         TouchScreenButton VisibleOnScreenNotifier2D",
    ),
    ("Camera3D", "XRCamera3D"),
    ("CollisionObject3D", "Area3D PhysicsBody3D"),
    ("Joint3D", "ConeTwistJoint3D Generic6DOFJoint3D HingeJoint3D PinJoint3D SliderJoint3D"),
    (
        "OpenXRCompositionLayer",
        "OpenXRCompositionLayerCylinder OpenXRCompositionLayerEquirect \
         OpenXRCompositionLayerQuad",
    ),
    (
        "SkeletonModifier3D",
        "BoneConstraint3D BoneTwistDisperser3D IKModifier3D LimitAngularVelocityModifier3D \
         LookAtModifier3D ModifierBoneTarget3D PhysicalBoneSimulator3D RetargetModifier3D \
         SkeletonIK3D SpringBoneSimulator3D XRBodyModifier3D XRHandModifier3D",
    ),
    (
        "SpringBoneCollision3D",
        "SpringBoneCollisionCapsule3D SpringBoneCollisionPlane3D SpringBoneCollisionSphere3D",
    ),
    (
        "VisualInstance3D",
        "Decal FogVolume GeometryInstance3D GPUParticlesAttractor3D GPUParticlesCollision3D \
         Light3D LightmapGI OccluderInstance3D OpenXRVisibilityMask ReflectionProbe \
         RootMotionView VisibleOnScreenNotifier3D VoxelGI",
    ),
    ("XRNode3D", "XRAnchor3D XRController3D"),
    ("Window", "AcceptDialog Popup"),
    ("BaseButton", "Button LinkButton TextureButton"),
    (
        "Container",
        "AspectRatioContainer BoxContainer CenterContainer FlowContainer FoldableContainer \
         GraphElement GridContainer MarginContainer PanelContainer ScrollContainer \
         SplitContainer SubViewportContainer TabContainer",
    ),
    ("Range", "ProgressBar ScrollBar Slider SpinBox TextureProgressBar"),
    ("Separator", "HSeparator VSeparator"),
    ("TextEdit", "CodeEdit"),
    ("CollisionObject2D", "Area2D PhysicsBody2D"),
    ("Joint2D", "DampedSpringJoint2D GrooveJoint2D PinJoint2D"),
    ("Light2D", "DirectionalLight2D PointLight2D"),
    ("VisibleOnScreenNotifier2D", "VisibleOnScreenEnabler2D"),
    ("PhysicsBody3D", "CharacterBody3D PhysicalBone3D RigidBody3D StaticBody3D"),
    ("BoneConstraint3D", "AimModifier3D ConvertTransformModifier3D CopyTransformModifier3D"),
    ("IKModifier3D", "ChainIK3D TwoBoneIK3D"),
    (
        "GeometryInstance3D",
        "CPUParticles3D CSGShape3D GPUParticles3D Label3D MeshInstance3D MultiMeshInstance3D \
         SpriteBase3D",
    ),
    (
        "GPUParticlesAttractor3D",
        "GPUParticlesAttractorBox3D GPUParticlesAttractorSphere3D \
         GPUParticlesAttractorVectorField3D",
    ),
    (
        "GPUParticlesCollision3D",
        "GPUParticlesCollisionBox3D GPUParticlesCollisionHeightField3D \
         GPUParticlesCollisionSDF3D GPUParticlesCollisionSphere3D",
    ),
    ("Light3D", "DirectionalLight3D OmniLight3D SpotLight3D"),
    ("VisibleOnScreenNotifier3D", "VisibleOnScreenEnabler3D"),
    ("AcceptDialog", "ConfirmationDialog"),
    ("Popup", "PopupMenu PopupPanel"),
    ("Button", "CheckBox CheckButton ColorPickerButton MenuButton OptionButton"),
    ("BoxContainer", "HBoxContainer VBoxContainer"),
    ("FlowContainer", "HFlowContainer VFlowContainer"),
    ("GraphElement", "GraphFrame GraphNode"),
    ("PanelContainer", "OpenXRBindingModifierEditor"),
    ("SplitContainer", "HSplitContainer VSplitContainer"),
    ("ScrollBar", "HScrollBar VScrollBar"),
    ("Slider", "HSlider VSlider"),
    ("PhysicsBody2D", "CharacterBody2D RigidBody2D StaticBody2D"),
    ("RigidBody3D", "VehicleBody3D"),
    ("StaticBody3D", "AnimatableBody3D"),
    ("ChainIK3D", "IterateIK3D SplineIK3D"),
    ("CSGShape3D", "CSGCombiner3D CSGPrimitive3D"),
    ("MeshInstance3D", "SoftBody3D"),
    ("SpriteBase3D", "AnimatedSprite3D Sprite3D"),
    ("ConfirmationDialog", "FileDialog"),
    ("VBoxContainer", "ColorPicker"),
    ("RigidBody2D", "PhysicalBone2D"),
    ("StaticBody2D", "AnimatableBody2D"),
    ("IterateIK3D", "CCDIK3D FABRIK3D JacobianIK3D"),
    ("CSGPrimitive3D", "CSGBox3D CSGCylinder3D CSGMesh3D CSGPolygon3D CSGSphere3D CSGTorus3D"),
];

/// Kinds of properties, the classes that have them, and their names.
const PROPERTIES: &[(Kind, &str, &str)] = &[
    (Kind::Bool, "CanvasItem", "visible top_level show_behind_parent"),
    (Kind::Color, "CanvasItem", "modulate self_modulate"),
    (Kind::Int, "CanvasItem", "z_index"),
    (Kind::Vector2, "Node2D", "position scale global_position global_scale"),
    (
        Kind::Float,
        "Node2D",
        "rotation rotation_degrees skew global_rotation global_rotation_degrees",
    ),
    (Kind::Transform2D, "Node2D", "transform global_transform"),
    (Kind::Vector2, "Control", "position global_position size scale pivot_offset"),
    (Kind::Float, "Control", "rotation rotation_degrees"),
    (
        Kind::Vector3,
        "Node3D",
        "position rotation rotation_degrees scale global_position global_rotation global_rotation_degrees",
    ),
    (Kind::Quaternion, "Node3D", "quaternion"),
    (Kind::Basis, "Node3D", "basis global_basis"),
    (Kind::Transform3D, "Node3D", "transform global_transform"),
    (Kind::Bool, "Node3D", "visible top_level"),
    (Kind::Vector2, "CharacterBody2D", "velocity"),
    (Kind::Vector3, "CharacterBody3D", "velocity"),
    (Kind::Vector2, "RigidBody2D", "linear_velocity constant_force"),
    (Kind::Float, "RigidBody2D", "angular_velocity mass constant_torque"),
    (Kind::Bool, "RigidBody2D RigidBody3D", "sleeping freeze lock_rotation"),
    (
        Kind::Vector3,
        "RigidBody3D",
        "linear_velocity angular_velocity constant_force constant_torque",
    ),
    (Kind::Float, "RigidBody3D", "mass"),
    (Kind::Int, "CollisionObject2D CollisionObject3D", "collision_layer collision_mask"),
    (Kind::Bool, "CollisionShape2D CollisionShape3D", "disabled"),
    (Kind::StringName, "AnimatedSprite2D AnimatedSprite3D", "animation"),
    (Kind::Int, "AnimatedSprite2D AnimatedSprite3D Sprite2D Sprite3D", "frame"),
    (Kind::Float, "AnimatedSprite2D AnimatedSprite3D", "frame_progress speed_scale"),
    (Kind::Bool, "AnimatedSprite2D SpriteBase3D Sprite2D", "flip_h flip_v"),
    (Kind::Vector2, "AnimatedSprite2D Sprite2D", "offset"),
    (Kind::Color, "SpriteBase3D Label3D", "modulate"),
    (Kind::Vector2i, "Sprite2D Sprite3D", "frame_coords"),
    (Kind::Float, "AnimationPlayer", "current_animation_position speed_scale"),
    (Kind::String, "Label RichTextLabel Label3D Button LineEdit", "text"),
    (Kind::Int, "Label", "visible_characters"),
    (Kind::Float, "Label", "visible_ratio"),
    (Kind::Bool, "BaseButton", "disabled button_pressed"),
    (Kind::Float, "Range", "value min_value max_value"),
    (Kind::Float, "Timer", "wait_time time_left"),
    (Kind::Bool, "Timer", "paused"),
    (Kind::Float, "Light3D", "light_energy"),
    (Kind::Color, "Light3D", "light_color"),
    (Kind::Float, "Light2D", "energy"),
    (Kind::Color, "Light2D ColorRect Polygon2D", "color"),
    (Kind::Bool, "Light2D RayCast3D RayCast2D", "enabled"),
    (Kind::Float, "PathFollow2D PathFollow3D", "progress progress_ratio"),
    (Kind::Bool, "GPUParticles2D GPUParticles3D CPUParticles2D CPUParticles3D", "emitting"),
    (Kind::Bool, "AudioStreamPlayer AudioStreamPlayer2D AudioStreamPlayer3D", "playing"),
    (Kind::Float, "AudioStreamPlayer AudioStreamPlayer2D AudioStreamPlayer3D", "volume_db"),
    (Kind::Bool, "Area2D Area3D", "monitoring monitorable"),
    (Kind::Vector3, "RayCast3D", "target_position"),
    (Kind::Vector2, "RayCast2D", "target_position"),
];

/// Whether the engine has a class with this name that is not a node. C# spells some of them in
/// another case, and calls `Object` `GodotObject`.
pub(crate) fn is_other_class(name: &str) -> bool {
    OTHER_CLASSES.iter().any(|(prefix, rests)| {
        let (start, rest) = (name.get(..prefix.len()), name.get(prefix.len()..));
        start.is_some_and(|start| start.eq_ignore_ascii_case(prefix))
            && rest.is_some_and(|rest| {
                rests.split_ascii_whitespace().any(|it| it.eq_ignore_ascii_case(rest))
            })
    })
}

/// The classes of Godot 4.0 to 4.6 that are not nodes: the beginnings that many names share, each
/// with the rests of the names.
const OTHER_CLASSES: &[(&str, &str)] = &[
    (
        "",
        "AESContext AStar2D AStar3D AStarGrid2D AnimatedTexture Animation AnimationLibrary \
         AnimationNode AnimationRootNode ArrayMesh ArrayOccluder3D AtlasTexture AudioBusLayout \
         AudioEffect AudioSample AudioSamplePlayback AudioServer AudioStream BaseMaterial3D \
         BitMap BoneMap BoxMesh BoxOccluder3D BoxShape3D ButtonGroup CallbackTweener \
         CanvasItemMaterial CanvasTexture CapsuleMesh CapsuleShape2D CapsuleShape3D \
         CharFXTransform CircleShape2D ClassDB CodeHighlighter ColorPalette Compositor \
         CompositorEffect ConcavePolygonShape2D ConcavePolygonShape3D ConfigFile \
         ConvexPolygonShape2D ConvexPolygonShape3D Crypto CryptoKey Cubemap CubemapArray Curve \
         Curve2D Curve3D CurveTexture CurveXYZTexture CylinderMesh CylinderShape3D DPITexture \
         DTLSServer DirAccess DisplayServer ENetConnection ENetMultiplayerPeer ENetPacketPeer \
         EncodedObjectAsID Engine EngineDebugger EngineProfiler Environment Expression \
         ExternalTexture FBXDocument FBXState FastNoiseLite FileAccess FogMaterial FoldableGroup \
         Font FontFile FontVariation FramebufferCacheRD GDExtension GDExtensionManager GDScript \
         GDScriptEditorTranslationParserPlugin GDScriptNativeClass GDScriptSyntaxHighlighter \
         Geometry2D Geometry3D GodotInstance GodotNavigationServer2D GodotObject \
         GodotPhysicsServer2D GodotPhysicsServer3D Gradient GradientTexture1D GradientTexture2D \
         HMACContext HTTPClient HashingContext HeightMapShape3D IP IPUnix Image ImageFormatLoader \
         ImageFormatLoaderExtension ImageTexture ImageTexture3D ImageTextureLayered ImmediateMesh \
         ImporterMesh Input InputEvent InputMap IntervalTweener JNISingleton JSON JSONRPC \
         JavaClass JavaClassWrapper JavaObject JavaScriptBridge JavaScriptObject \
         JointLimitation3D JointLimitationCone3D KinematicCollision2D KinematicCollision3D \
         LabelSettings LightmapGIData Lightmapper LightmapperRD Logger MainLoop Marshalls \
         Material Mesh MeshConvexDecompositionSettings MeshDataTool MeshLibrary MeshTexture \
         MethodTweener MissingResource MobileVRInterface MovieWriter MovieWriterMJPEG \
         MovieWriterOGV MovieWriterPNGWAV MultiMesh MultiplayerAPI MultiplayerAPIExtension \
         MultiplayerPeer MultiplayerPeerExtension Mutex NativeMenu NavigationMesh \
         NavigationMeshGenerator NavigationMeshSourceGeometryData2D \
         NavigationMeshSourceGeometryData3D NavigationPathQueryParameters2D \
         NavigationPathQueryParameters3D NavigationPathQueryResult2D NavigationPathQueryResult3D \
         NavigationPolygon NavigationServer2D NavigationServer2DManager NavigationServer3D \
         NavigationServer3DManager Node3DGizmo Noise NoiseTexture2D NoiseTexture3D ORMMaterial3D \
         OS Object Occluder3D OccluderPolygon2D OfflineMultiplayerPeer OggPacketSequence \
         OggPacketSequencePlayback OptimizedTranslation PCKPacker PackedDataContainer \
         PackedDataContainerRef PackedScene PacketPeer PacketPeerDTLS PacketPeerExtension \
         PacketPeerStream PacketPeerUDP PanoramaSkyMaterial ParticleProcessMaterial Performance \
         PhysicalSkyMaterial PlaneMesh PointMesh PolygonOccluder3D PolygonPathFinder \
         PortableCompressedTexture2D PrimitiveMesh PrismMesh ProceduralSkyMaterial \
         ProjectSettings PropertyTweener QuadMesh QuadOccluder3D RandomNumberGenerator \
         RectangleShape2D RefCounted RegEx RegExMatch Resource ResourceFormatImporterSaver \
         ResourceFormatLoader ResourceFormatSaver ResourceImporter ResourceLoader ResourceSaver \
         ResourceUID RibbonTrailMesh RichTextEffect Script ScriptBacktrace ScriptExtension \
         ScriptLanguage ScriptLanguageExtension SegmentShape2D Semaphore SeparationRayShape2D \
         SeparationRayShape3D Shader ShaderInclude ShaderIncludeDB ShaderMaterial Shape2D Shape3D \
         Shortcut SkeletonModification2D SkeletonModificationStack2D SkeletonProfile \
         SkeletonProfileHumanoid Skin SkinReference Sky SocketServer SphereMesh SphereOccluder3D \
         SphereShape3D SpriteFrames StandardMaterial3D StreamPeer StyleBox StyleBoxEmpty \
         StyleBoxFlat StyleBoxLine StyleBoxTexture SubtweenTweener SurfaceTool SyntaxHighlighter \
         SystemFont TCPServer TLSOptions TextLine TextMesh TextParagraph TextServer \
         TextServerAdvanced TextServerDummy TextServerExtension TextServerManager Texture Theme \
         ThemeContext ThemeDB Thread TileData TileMapPattern TileSet TileSetAtlasSource \
         TileSetScenesCollectionSource TileSetSource Time TorusMesh Translation TranslationDomain \
         TranslationServer TreeItem TriangleMesh TubeTrailMesh Tween Tweener UDPServer UDSServer \
         UPNP UPNPDevice UndoRedo UniformSetCacheRD VideoStream VideoStreamPlayback \
         VideoStreamTheora ViewportTexture VisualShader VisualShaderNode VoxelGIData WeakRef \
         WebRTCDataChannel WebRTCDataChannelExtension WebRTCMultiplayerPeer WebRTCPeerConnection \
         WebRTCPeerConnectionExtension WebSocketMultiplayerPeer WebSocketPeer WebXRInterface \
         WorkerThreadPool World2D World3D WorldBoundaryShape2D WorldBoundaryShape3D \
         X509Certificate XMLParser ZIPPacker ZIPReader",
    ),
    (
        "AnimationNode",
        "Add2 Add3 Animation Blend2 Blend3 BlendSpace1D BlendSpace2D BlendTree Extension OneShot \
         Output StateMachine StateMachinePlayback StateMachineTransition Sub2 Sync TimeScale \
         TimeSeek Transition",
    ),
    (
        "AudioEffect",
        "Amplify BandLimitFilter BandPassFilter Capture Chorus Compressor Delay Distortion EQ \
         EQ10 EQ21 EQ6 Filter HardLimiter HighPassFilter HighShelfFilter Instance Limiter \
         LowPassFilter LowShelfFilter NotchFilter Panner Phaser PitchShift Record Reverb \
         SpectrumAnalyzer SpectrumAnalyzerInstance StereoEnhance",
    ),
    (
        "AudioStream",
        "Generator GeneratorPlayback Interactive MP3 Microphone OggVorbis Playback \
         PlaybackInteractive PlaybackOggVorbis PlaybackPlaylist PlaybackPolyphonic \
         PlaybackResampled PlaybackSynchronized Playlist Polyphonic Randomizer Synchronized WAV",
    ),
    ("Camera", "Attributes AttributesPhysical AttributesPractical Feed Server Texture"),
    ("Compressed", "Cubemap CubemapArray Texture2D Texture2DArray Texture3D TextureLayered"),
    (
        "Editor",
        "ContextMenuPlugin DebuggerPlugin DebuggerSession ExportPlatform ExportPlatformAndroid \
         ExportPlatformAppleEmbedded ExportPlatformExtension ExportPlatformIOS \
         ExportPlatformLinuxBSD ExportPlatformMacOS ExportPlatformPC ExportPlatformVisionOS \
         ExportPlatformWeb ExportPlatformWindows ExportPlugin ExportPreset FeatureProfile \
         FileSystemDirectory FileSystemImportFormatSupportQuery ImportPlugin InspectorPlugin \
         Interface Node3DGizmo Node3DGizmoPlugin Paths ResourceConversionPlugin \
         ResourcePreviewGenerator ResourceTooltipPlugin SceneFormatImporter \
         SceneFormatImporterBlend SceneFormatImporterFBX2GLTF SceneFormatImporterGLTF \
         SceneFormatImporterUFBX ScenePostImport ScenePostImportPlugin Script Selection Settings \
         SyntaxHighlighter TranslationParserPlugin UndoRedoManager VCSInterface",
    ),
    (
        "GLTF",
        "Accessor Animation BufferView Camera Document DocumentExtension \
         DocumentExtensionConvertImporterMesh DocumentExtensionPhysics \
         DocumentExtensionTextureKTX DocumentExtensionTextureWebP Light Mesh Node \
         ObjectModelProperty PhysicsBody PhysicsShape Skeleton Skin SpecGloss State Texture \
         TextureSampler",
    ),
    (
        "InputEvent",
        "Action FromWindow Gesture JoypadButton JoypadMotion Key MIDI MagnifyGesture Mouse \
         MouseButton MouseMotion PanGesture ScreenDrag ScreenTouch Shortcut WithModifiers",
    ),
    (
        "OpenXR",
        "APIExtension Action ActionBindingModifier ActionMap ActionSet AnalogThresholdModifier \
         AnchorTracker AndroidThreadSettingsExtension BindingModifier DpadBindingModifier \
         ExtensionWrapper ExtensionWrapperExtension FrameSynthesisExtension FutureExtension \
         FutureResult HapticBase HapticVibration IPBinding IPBindingModifier InteractionProfile \
         InteractionProfileMetadata Interface MarkerTracker PlaneTracker RenderModelExtension \
         SpatialAnchorCapability SpatialCapabilityConfigurationAnchor \
         SpatialCapabilityConfigurationAprilTag SpatialCapabilityConfigurationAruco \
         SpatialCapabilityConfigurationBaseHeader SpatialCapabilityConfigurationMicroQrCode \
         SpatialCapabilityConfigurationPlaneTracking SpatialCapabilityConfigurationQrCode \
         SpatialComponentAnchorList SpatialComponentBounded2DList SpatialComponentBounded3DList \
         SpatialComponentData SpatialComponentMarkerList SpatialComponentMesh2DList \
         SpatialComponentMesh3DList SpatialComponentParentList SpatialComponentPersistenceList \
         SpatialComponentPlaneAlignmentList SpatialComponentPlaneSemanticLabelList \
         SpatialComponentPolygon2DList SpatialContextPersistenceConfig SpatialEntityExtension \
         SpatialEntityTracker SpatialMarkerTrackingCapability SpatialPlaneTrackingCapability \
         SpatialQueryResultData StructureBase",
    ),
    (
        "Physics",
        "DirectBodyState2D DirectBodyState2DExtension DirectBodyState3D \
         DirectBodyState3DExtension DirectSpaceState2D DirectSpaceState2DExtension \
         DirectSpaceState3D DirectSpaceState3DExtension Material PointQueryParameters2D \
         PointQueryParameters3D RayQueryParameters2D RayQueryParameters3D Server2D \
         Server2DExtension Server2DManager Server3D Server3DExtension Server3DManager \
         Server3DRenderingServerHandler ShapeQueryParameters2D ShapeQueryParameters3D \
         TestMotionParameters2D TestMotionParameters3D TestMotionResult2D TestMotionResult3D",
    ),
    (
        "Placeholder",
        "Cubemap CubemapArray Material Mesh Texture2D Texture2DArray Texture3D TextureLayered",
    ),
    (
        "RD",
        "AttachmentFormat FramebufferPass PipelineColorBlendState \
         PipelineColorBlendStateAttachment PipelineDepthStencilState PipelineMultisampleState \
         PipelineRasterizationState PipelineSpecializationConstant SamplerState ShaderFile \
         ShaderSPIRV ShaderSource TextureFormat TextureView Uniform VertexAttribute",
    ),
    (
        "Render",
        "Data DataExtension DataRD SceneBuffers SceneBuffersConfiguration SceneBuffersExtension \
         SceneBuffersRD SceneData SceneDataExtension SceneDataRD ingDevice ingServer",
    ),
    (
        "ResourceImporter",
        "BMFont BitMap CSVTranslation DynamicFont Image ImageFont LayeredTexture MP3 OBJ \
         OggVorbis SVG Scene ShaderFile Texture TextureAtlas WAV",
    ),
    (
        "Scene",
        "CacheInterface Multiplayer RPCInterface ReplicationConfig ReplicationInterface State \
         Tree TreeTimer",
    ),
    ("SkeletonModification2D", "CCDIK FABRIK Jiggle LookAt PhysicalBones StackHolder TwoBoneIK"),
    ("StreamPeer", "Buffer Extension GZIP Socket TCP TLS UDS"),
    ("Texture", "2D 2DArray 2DArrayRD 2DRD 3D 3DRD CubemapArrayRD CubemapRD Layered LayeredRD"),
    (
        "VisualShaderNode",
        "Billboard BooleanConstant BooleanParameter Clamp ColorConstant ColorFunc ColorOp \
         ColorParameter Comment Compare Constant Cubemap CubemapParameter CurveTexture \
         CurveXYZTexture Custom DerivativeFunc Determinant DistanceFade DotProduct Expression \
         FaceForward FloatConstant FloatFunc FloatOp FloatParameter Frame Fresnel \
         GlobalExpression GroupBase If Input IntConstant IntFunc IntOp IntParameter Is \
         LinearSceneDepth Mix MultiplyAdd OuterProduct Output Parameter ParameterRef \
         ParticleAccelerator ParticleBoxEmitter ParticleConeVelocity ParticleEmit ParticleEmitter \
         ParticleMeshEmitter ParticleMultiplyByAxisAngle ParticleOutput ParticleRandomness \
         ParticleRingEmitter ParticleSphereEmitter ProximityFade RandomRange Remap Reroute \
         ResizableBase RotationByAxis SDFRaymarch SDFToScreenUV Sample3D ScreenNormalWorldSpace \
         ScreenUVToSDF SmoothStep Step Switch Texture Texture2DArray Texture2DArrayParameter \
         Texture2DParameter Texture3D Texture3DParameter TextureParameter \
         TextureParameterTriplanar TextureSDF TextureSDFNormal TransformCompose TransformConstant \
         TransformDecompose TransformFunc TransformOp TransformParameter TransformVecMult \
         UIntConstant UIntFunc UIntOp UIntParameter UVFunc UVPolarCoord Varying VaryingGetter \
         VaryingSetter Vec2Constant Vec2Parameter Vec3Constant Vec3Parameter Vec4Constant \
         Vec4Parameter VectorBase VectorCompose VectorDecompose VectorDistance VectorFunc \
         VectorLen VectorOp VectorRefract WorldPositionFromDepth",
    ),
    (
        "XR",
        "BodyTracker ControllerTracker FaceTracker HandTracker Interface InterfaceExtension Pose \
         PositionalTracker Server Tracker VRS",
    ),
];
